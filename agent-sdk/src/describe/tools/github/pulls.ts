/** Pull requests: asked for, changed, judged, merged. */
import { type DescribeContext, end, middle, type SummaryPart } from '../../describer.js';
import { ownName } from '../../names.js';
import type { Given } from '../given.js';
import { and, hiddenReasons, high, leakReasons, normal, shown, type Told, watchOut } from '../told.js';
import { placeIn } from './place.js';

const NUMBER = [
  'pull_number',
  'pullNumber',
  'pull_request_number',
  'number',
  'merge_request_iid',
  'mr_iid',
  'iid',
  'pr_number',
];

export function toldPull(given: Given, { toolName }: DescribeContext): Told | undefined {
  const thing = thingOf(toolName);
  const place = placeIn(given);
  const number = given.word(...NUMBER);
  const title = given.text('title');
  if (place === undefined || (number === undefined && title === undefined)) return undefined;
  const [head, base] = [
    given.word('head', 'source_branch', 'head_branch'),
    given.word('base', 'target_branch', 'base_branch'),
  ];
  const body = given.text('body', 'description', 'problem_statement');
  const state = given.text('state', 'state_event');
  return {
    summary: [
      ...(number === undefined
        ? [`Open ${thing} in `]
        : [
            state === 'closed' || state === 'close'
              ? `Close ${thing} `
              : `${verbOf(ownName(toolName))} ${thing} `,
            end(`#${number}`),
            ' in ',
          ]),
      ...place.summary,
      ...(head === undefined && base === undefined
        ? []
        : [' (', middle(head ?? '?'), ' → ', middle(base ?? '?'), ')']),
      ...and(': ', title),
    ],
    blocks: [
      ...[
        ...place.blocks,
        ...shown('Pull request', number),
        ...shown('From', head),
        ...shown('Into', base),
        ...shown('Title', title),
      ],
      ...[...shown('Text', body, 'markdown'), ...shown('State', state), ...watchOut([title, body])],
    ],
    reasons: [...leakReasons([title, body]), ...hiddenReasons([title, body])],
  };
}

function verbOf(name: string): string {
  if (/branch$/.test(name)) return 'Bring up to date';
  return /copilot|review/.test(name) ? 'Ask for a review of' : 'Change';
}

export function toldMerge(given: Given, { toolName }: DescribeContext): Told | undefined {
  const thing = thingOf(toolName);
  const place = placeIn(given);
  const number = given.word(...NUMBER);
  if (place === undefined || number === undefined) return undefined;
  const method = given.text('merge_method', 'method');
  const squash = given.flag('squash');
  const title = given.text('commit_title', 'merge_commit_message', 'squash_commit_message');
  const text = given.text('commit_message');
  const removes = given.flag('should_remove_source_branch', 'delete_branch');
  return {
    summary: [
      `Merge ${thing} `,
      end(`#${number}`),
      ' in ',
      ...place.summary,
      ...and(' by ', squash ? 'squash' : method),
      ...(removes ? [' and delete its branch'] : []),
    ],
    blocks: [
      ...[
        ...place.blocks,
        ...shown('Pull request', number),
        ...shown('How', squash ? 'squash' : method),
        ...shown('Title', title),
      ],
      ...[...shown('Message', text, 'text'), ...(removes ? shown('Then', 'deletes the branch') : [])],
    ],
    reasons: [high('merges code for everybody')],
  };
}

export function toldReview(given: Given, { toolName }: DescribeContext): Told | undefined {
  const thing = thingOf(toolName);
  const place = placeIn(given);
  const number = given.word(...NUMBER);
  if (place === undefined || number === undefined) return undefined;
  const name = ownName(toolName);
  const event = given.text('event') ?? (name.startsWith('approve') ? 'APPROVE' : undefined);
  const method = given.text('method');
  const body = given.text('body', 'comment');
  const comments = given.list('comments');
  const approves = /^approve/i.test(event ?? '');
  return {
    summary: [
      ...reviewVerb(event, method, name),
      ` ${thing} `,
      end(`#${number}`),
      ' in ',
      ...place.summary,
      ...and(': ', body),
    ],
    blocks: [
      ...[
        ...place.blocks,
        ...shown('Pull request', number),
        ...shown('Verdict', event),
        ...shown('Does', method),
        ...shown('Text', body, 'markdown'),
      ],
      ...[
        ...shown('Comments', comments === undefined ? undefined : JSON.stringify(comments, null, 1), 'json'),
        ...watchOut([body]),
      ],
    ],
    reasons: [
      ...(approves ? [high('approves code for merging')] : [normal('others read it in your name')]),
      ...hiddenReasons([body]),
    ],
  };
}

function reviewVerb(event: string | undefined, method: string | undefined, name: string): SummaryPart[] {
  if (/^approve/i.test(event ?? '')) return ['Approve'];
  if (/^request/i.test(event ?? '')) return ['Ask for changes in'];
  if (/delete/.test(method ?? name)) return ['Drop the review of'];
  return ['Review'];
}

/** What the server calls it. */
function thingOf(toolName: string): string {
  return /merge_?request|gitlab/i.test(toolName.slice(0, 200)) ? 'merge request' : 'pull request';
}
