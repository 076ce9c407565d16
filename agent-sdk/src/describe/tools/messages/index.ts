/** Tools for chats, texts, calls and posts, under the names that their servers give them. */

import { type DescriberEntry, end } from '../../describer.js';
import { listOf } from '../../list-of.js';
import type { Given } from '../given.js';
import { count, entries, firstOf, high, listed, normal, shown, type Told } from '../told.js';
import { toldMessage } from './message.js';
import { toldPost } from './post.js';

const SEND = [
  ...listOf('teams_post_message teams_send_channel_message post_teams_message slack_send discord_post'),
  ...listOf('slack_post_message slack_send_message slack_reply_to_thread send_slack_message'),
  ...listOf('post_message chat_post_message conversations_add_message slack_schedule_message'),
  ...listOf('slack_send_message_draft slack_post_reply slack_dm discord_send discord_send_message'),
  ...listOf('send_discord_message discord_send_dm discord_reply send_private_message'),
  ...listOf('telegram_send_message send_telegram_message send_message send_chat_message send_dm'),
  ...listOf('send_direct_message send_sms twilio_send_sms send_text_message send_text sms'),
  ...listOf('send_whatsapp_message whatsapp_send_message send_whatsapp teams_send_message'),
  ...listOf('send_teams_message post_channel_message send_channel_message reply_to_channel_message'),
  ...listOf('send_imessage send_signal_message matrix_send_message send_notification'),
  ...listOf('send_push_notification push_notification send_file send_audio_message reply_to_message'),
  ...listOf('reply_message send_message_to_channel message_user notify send_webhook_message'),
  ...listOf('discord_send_webhook_message line_push_message push_text_message broadcast_text_message'),
  ...listOf('send_template_message make_call make_phone_call voice_call edit_message'),
  ...listOf('slack_update_message telegram_edit_message update_message discord_edit_message'),
];
const POST = [
  ...listOf('post_tweet create_tweet send_tweet tweet twitter_post reply_to_tweet create_post'),
  ...listOf('linkedin_create_post create_linkedin_post publish_post post_to_facebook'),
  ...listOf('facebook_create_post instagram_publish reddit_create_post submit_reddit_post create_toot'),
  ...listOf('mastodon_post bluesky_post create_blog_post post_update discord_create_forum_post'),
  ...listOf('publish_article create_skeet wordpress_create_post post_comment create_comment'),
  ...listOf('add_comment reddit_reply'),
];

function toldReaction(given: Given): Told | undefined {
  const reaction = given.text('reaction', 'emoji', 'reaction_type', 'name');
  const message = given.word('timestamp', 'message_id', 'message_ts', 'ts', 'message');
  const channel = given.word('channel_id', 'channel', 'chat_id');
  if (reaction === undefined || message === undefined) return undefined;
  return {
    summary: [
      'React with ',
      end(reaction),
      ' to message ',
      end(message),
      ...(channel === undefined ? [] : [' in ', end(channel)]),
    ],
    blocks: [...shown('Reaction', reaction), ...shown('Message', message), ...shown('Channel', channel)],
  };
}

function toldDelete(given: Given): Told | undefined {
  const channel = given.word('channel_id', 'channel', 'chat_id', 'room_id');
  const ids = given.words('message_id', 'message_ids', 'ts', 'timestamp', 'message_ts');
  if (channel === undefined || ids.length === 0) return undefined;
  return {
    summary: [
      ids.length > 1 ? `Delete ${count(ids.length, 'message')} in ` : 'Delete message in ',
      end(channel),
      ': ',
      ...firstOf(ids),
    ],
    blocks: [...shown('Channel', channel), ...listed('Messages', ids)],
    reasons: [ids.length > 1 ? high(`deletes ${count(ids.length, 'message')}`) : normal('deletes a message')],
  };
}

function toldRead(given: Given): Told | undefined {
  const where = given.word(
    'channel_id',
    'channel',
    'chat_id',
    'chat_jid',
    'thread_ts',
    'user_id',
    'server_id',
    'guild_id',
  );
  const words = given.text('query', 'search', 'search_query');
  if (where === undefined && words === undefined) return undefined;
  return {
    summary:
      words === undefined
        ? ['Read messages in ', end(where ?? '')]
        : ['Search messages for ', end(words), ...(where === undefined ? [] : [' in ', end(where)])],
    blocks: [...shown('Words', words), ...shown('Where', where)],
    least: 'low',
  };
}

export const messageTools: readonly DescriberEntry[] = [
  ...entries(SEND, toldMessage),
  ...entries(POST, toldPost),
  ...entries(
    [
      'slack_add_reaction',
      'add_reaction',
      'discord_add_reaction',
      'telegram_set_reaction',
      'react_to_message',
      'reactions_add',
      'conversations_add_reaction',
    ],
    toldReaction,
  ),
  ...entries(
    [
      'delete_message',
      'slack_delete_message',
      'discord_delete_message',
      'telegram_delete_message',
      'bulk_delete_messages',
    ],
    toldDelete,
  ),
  ...entries(
    [
      ...listOf('slack_get_channel_history slack_get_thread_replies conversations_history'),
      ...listOf('conversations_replies conversations_search_messages slack_search_public'),
      ...listOf('slack_search_messages discord_read_messages read_messages list_messages get_messages'),
      ...listOf('search_messages get_channel_history slack_read_channel get_chat get_message_context'),
      ...listOf('slack_get_user_profile slack_search_public_and_private slack_read_thread'),
    ],
    toldRead,
  ),
];
