/** Issues and comments, and looking at what is there. */
import { type DescribeContext, end } from '../../describer.js';
import { ownName } from '../../names.js';
import type { Given } from '../given.js';
import { and, hiddenReasons, leakReasons, listed, low, normal, shown, type Told, watchOut } from '../told.js';
import { placeIn } from './place.js';

const ISSUE = ['issue_number', 'issue_iid', 'number', 'issue_id', 'iid', 'work_item_id'];

const BODY = ['body', 'description', 'content', 'text', 'comment'];

export function toldIssue(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const number = given.word(...ISSUE);
  const title = given.text('title');
  if (place === undefined || (number === undefined && title === undefined)) return undefined;
  const body = given.text(...BODY);
  const state = given.text('state', 'state_event', 'new_state');
  const [labels, people] = [given.words('labels'), given.words('assignees', 'assignee_ids')];
  const closes = /^close/.test(ownName(toolName)) || /^closed?$/.test(state ?? '');
  const verb =
    number === undefined
      ? 'Open issue'
      : closes
        ? 'Close issue'
        : /copilot/.test(ownName(toolName))
          ? 'Let Copilot work on issue'
          : 'Change issue';
  return {
    summary: [
      verb,
      ...(number === undefined ? [] : [' #', end(number)]),
      ' in ',
      ...place.summary,
      ...and(': ', title ?? body),
    ],
    blocks: [
      ...[
        ...place.blocks,
        ...shown('Issue', number),
        ...shown('Title', title),
        ...shown('Text', body, 'markdown'),
        ...shown('State', state),
      ],
      ...[...listed('Labels', labels), ...listed('For', people), ...watchOut([title, body])],
    ],
    reasons: [
      normal('others read it in your name'),
      ...leakReasons([title, body]),
      ...hiddenReasons([title, body]),
    ],
  };
}

export function toldComment(given: Given): Told | undefined {
  const place = placeIn(given);
  const number = given.word(
    ...ISSUE,
    'pull_number',
    'merge_request_iid',
    'discussion_number',
    'noteable_iid',
  );
  const body = given.text(...BODY);
  if (place === undefined || body === undefined) return undefined;
  const [path, line] = [given.text('path'), given.word('line')];
  return {
    summary: [
      'Comment on ',
      ...(number === undefined ? [] : ['#', end(number), ' in ']),
      ...place.summary,
      ': ',
      end(body),
    ],
    blocks: [
      ...[
        ...place.blocks,
        ...shown('On', number === undefined ? undefined : `#${number}`),
        ...shown('File', path, 'path'),
        ...shown('Line', line),
      ],
      ...[...shown('Text', body, 'markdown'), ...watchOut([body])],
    ],
    reasons: [normal('others read it in your name'), ...leakReasons([body]), ...hiddenReasons([body])],
  };
}

export function toldRead(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const words = given.text('query', 'q', 'search');
  if (place === undefined && words === undefined) return undefined;
  const path = given.text('path', 'file_path');
  const thing = given.word(...ISSUE, 'pull_number', 'sha', 'tag', 'run_id', 'merge_request_iid');
  const own = toolName
    .slice(0, 200)
    .replace(/^.*(?:__|[./:])/s, '')
    .replace(/[_-]+/g, ' ');
  return {
    summary: [
      end(own.charAt(0).toUpperCase() + own.slice(1)),
      ...and(' ', thing),
      ...and(' ', path, 'middle'),
      ...(place === undefined ? [] : [' in ', ...place.summary]),
      ...and(': ', words),
    ],
    blocks: [
      ...(place?.blocks ?? []),
      ...shown('File', path, 'path'),
      ...shown('Which', thing),
      ...shown('Words', words),
    ],
    reasons: [low('only looks')],
    least: 'low',
  };
}
