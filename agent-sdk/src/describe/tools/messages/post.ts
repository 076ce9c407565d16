/** What is said to everybody: posts, tweets, comments. */

import { type DescribeContext, end } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { plainName } from '../../names.js';
import type { Given } from '../given.js';
import {
  and,
  count,
  hiddenReasons,
  leakReasons,
  listed,
  normal,
  shown,
  type Told,
  watchOut,
} from '../told.js';

const TEXT = listOf('text content status message body tweet post_text commentary comment selftext');
const PLACES: readonly (readonly [plain: RegExp, name: string])[] = [
  [/tweet|twitter/, 'on X'],
  [/linkedin/, 'on LinkedIn'],
  [/facebook/, 'on Facebook'],
  [/instagram/, 'on Instagram'],
  [/reddit/, 'on Reddit'],
  [/mastodon|toot/, 'on Mastodon'],
  [/bluesky|skeet/, 'on Bluesky'],
  [/wordpress|blog/, 'on the blog'],
];

export function toldPost(given: Given, { toolName }: DescribeContext): Told | undefined {
  const text = given.text(...TEXT);
  const title = given.text('title', 'headline');
  if (text === undefined && title === undefined) return undefined;
  const name = plainName(toolName.slice(0, 200));
  const answers = given.word(
    'in_reply_to',
    'in_reply_to_tweet_id',
    'reply_to',
    'reply_to_tweet_id',
    'parent_id',
    'post_id',
    'issue_key',
    'task_id',
    'page_id',
    'issue_id',
    'card_id',
    'ticket_id',
  );
  const where = given.word('subreddit', 'page', 'group', 'blog', 'site', 'visibility');
  const media = given.words('media', 'media_urls', 'media_ids', 'image', 'image_url', 'images');
  const verb = /comment|reply/.test(name) ? 'Comment' : answers === undefined ? 'Post' : 'Answer';
  const place = PLACES.find(([expression]) => expression.test(name))?.[1];
  return {
    summary: [
      verb,
      ...(place === undefined ? [] : [` ${place}`]),
      ...and(' in ', where),
      ...and(' on ', answers),
      ': ',
      end(title ?? text ?? ''),
    ],
    blocks: [
      ...[
        ...shown('Title', title),
        ...shown('Text', text, 'text'),
        ...shown('Where', where),
        ...shown('Answers', answers),
      ],
      ...[...listed(count(media.length, 'picture'), media), ...watchOut([title, text])],
    ],
    reasons: [
      normal('others read it in your name'),
      ...leakReasons([title, text]),
      ...hiddenReasons([title, text]),
    ],
  };
}
