/** Tools of issue trackers and of pages in a workspace: Jira, Linear, Asana, Trello, Notion, Confluence. */

import { jsonText } from '@countersign/protocol/blocks';
import { type DescribeContext, type DescriberEntry, end, type SummaryPart } from '../describer.js';
import { listOf } from '../list-of.js';
import { ownName } from '../names.js';
import { block } from '../rows.js';
import type { Given } from './given.js';
import { and, entries, hiddenReasons, high, listed, normal, shown, type Told, watchOut } from './told.js';

const TITLE = ['summary', 'title', 'name', 'page_title'];
const TEXT = listOf('description body content text comment notes markdown desc comment_body');
const ID = [
  ...listOf('issue_key issue_id issue_id_or_key issueIdOrKey task_id task_gid card_id ticket_id'),
  ...listOf('page_id block_id id item_id identifier'),
];
const PLACE = [
  ...listOf('project_key project_id project team_id team board_id list_id database_id parent_id'),
  ...listOf('parent_page_id space_key space_id workspace'),
];

/** `kind`: what the tool's name says the thing is. */
function toldThing(given: Given, { toolName }: DescribeContext): Told | undefined {
  const own = ownName(toolName);
  const [id, title, text] = [given.word(...ID), given.text(...TITLE), given.text(...TEXT)];
  const place = given.word(...PLACE);
  if (id === undefined && (title === undefined || place === undefined) && text === undefined)
    return undefined;
  if (id === undefined && title === undefined) return undefined;
  const state = given.text('status', 'state', 'transition', 'state_id', 'transition_id', 'status_name');
  const who = given.words('assignee', 'assignee_id', 'assignees', 'assigned_to');
  const fields = given.object('fields', 'properties', 'additional_fields');
  const deletes = /^(?:jira|linear|notion|confluence|asana|trello)?(?:delete|remove|archive|trash)/.test(own);
  return {
    summary: [
      ...verbOf(own, id),
      ...and(' ', id),
      ...and(' in ', place),
      ...(state === undefined ? [] : [' to ', end(state)]),
      ...and(': ', title ?? text),
    ],
    blocks: [
      ...[
        ...shown('Which', id),
        ...shown('In', place),
        ...shown('Title', title),
        ...shown('Text', text, 'markdown'),
        ...shown('State', state),
      ],
      ...[
        ...listed('For', who),
        ...(fields === undefined ? [] : [block('Fields', jsonText(fields, true), 'json')]),
        ...watchOut([title, text]),
      ],
    ],
    reasons: [
      deletes ? high(`deletes ${(id ?? '').slice(0, 80)}`) : normal('others read it in your name'),
      ...hiddenReasons([title, text]),
    ],
  };
}

function verbOf(own: string, id: string | undefined): SummaryPart[] {
  const name = own.replace(/^(?:jira|linear|notion|confluence|asana|trello|api)/, '');
  const kind =
    /(issue|task|card|page|ticket|comment|document|story|item|block|project)/.exec(name)?.[1] ?? 'entry';
  if (/^(?:delete|remove|archive|trash)/.test(name)) return [`Delete ${kind}`];
  if (/comment/.test(name)) return ['Comment on'];
  if (/transition/.test(name)) return [`Move ${kind}`];
  return [id === undefined || /^(?:create|post)/.test(name) ? `Create ${kind}` : `Change ${kind}`];
}

export const trackerTools: readonly DescriberEntry[] = entries(
  [
    ...listOf('jira_create_issue jira_update_issue jira_delete_issue jira_add_comment'),
    ...listOf('jira_transition_issue createJiraIssue editJiraIssue addCommentToJiraIssue'),
    ...listOf('transitionJiraIssue create_issue update_issue delete_issue create_comment add_comment'),
    ...listOf('save_issue linear_create_issue linear_update_issue linear_add_comment create_task'),
    ...listOf('update_task delete_task asana_create_task asana_update_task create_card update_card'),
    ...listOf('archive_card add_card_to_list move_card create_ticket update_ticket add_ticket_comment'),
    ...listOf('transition_issue confluence_create_page confluence_update_page confluence_delete_page'),
    ...listOf('confluence_add_comment createConfluencePage updateConfluencePage create_page update_page'),
    ...listOf('delete_page notion_create_pages notion_update_page notion_create_comment API-post-page'),
    ...listOf('API-patch-page create_document update_document delete_document save_comment'),
    ...listOf('asana_create_task_story create_project_issue delete_item'),
  ],
  toldThing,
);
