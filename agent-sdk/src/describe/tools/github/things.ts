/** Issues, comments, branches, repositories, workflows, releases, gists: what becomes of them. */
import type { Block } from '@countersign/protocol/blocks';
import { type DescribeContext, end, middle, type SummaryPart } from '../../describer.js';
import { ownName } from '../../names.js';
import { block } from '../../rows.js';
import { asObject, type Given } from '../given.js';
import {
  and,
  firstOf,
  hiddenReasons,
  high,
  listed,
  low,
  normal,
  type Reason,
  shown,
  type Told,
  watchOut,
} from '../told.js';
import { branchIn, placeIn } from './place.js';

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
    reasons: [normal('others read it in your name'), ...hiddenReasons([title, body])],
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
    reasons: [normal('others read it in your name'), ...hiddenReasons([body])],
  };
}

export function toldBranch(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const branch = branchIn(given);
  if (place === undefined || branch === undefined) return undefined;
  const from = given.word('from_branch', 'source_branch', 'from', 'base');
  const deletes = /^delete/.test(ownName(toolName));
  return {
    summary: [
      deletes ? 'Delete branch ' : 'Create branch ',
      middle(branch),
      ' in ',
      ...place.summary,
      ...and(' from ', from),
    ],
    blocks: [...place.blocks, ...shown('Branch', branch), ...shown('From', from)],
    reasons: deletes ? [high(`deletes the branch ${branch.slice(0, 80)}`)] : [],
  };
}

export function toldRepository(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const name = given.text('name');
  const what = place?.repository ?? name;
  if (what === undefined) return undefined;
  const open = given.truth('private');
  const visibility = open === undefined ? given.text('visibility') : open ? 'private' : 'public';
  const person = given.text('username', 'collaborator', 'user');
  const own = ownName(toolName);
  return {
    summary: [
      ...repositoryVerb(own),
      ...(person === undefined ? [] : [middle(person), ' to ']),
      middle(what),
      ...and(' as ', visibility),
    ],
    blocks: [
      ...(place?.blocks ?? []),
      ...shown('Name', name),
      ...shown('Visible to', visibility),
      ...shown('Person', person),
    ],
    reasons: repositoryReasons(own, visibility, person),
  };
}

function repositoryVerb(name: string): SummaryPart[] {
  if (/collaborator/.test(name)) return ['Give access: '];
  const verb = /^(create|fork|update|star|unstar|archive)/.exec(name)?.[1] ?? 'change';
  return [`${verb.charAt(0).toUpperCase()}${verb.slice(1)} repository `];
}

function repositoryReasons(
  name: string,
  visibility: string | undefined,
  person: string | undefined,
): Reason[] {
  if (person !== undefined) return [high(`gives ${person.slice(0, 60)} access`)];
  if (/archive/.test(name)) return [high('archives a repository')];
  return visibility === 'public' && /^(?:create|update)/.test(name) ? [high('everybody can see it')] : [];
}

export function toldRemoval(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const thing = given.word(
    'release_id',
    'run_id',
    'tag',
    'tag_name',
    'issue_number',
    'name',
    'comment_id',
    'label',
    'package_name',
    'id',
    'environment_name',
    'milestone_number',
  );
  if (place === undefined && thing === undefined) return undefined;
  const what = ownName(toolName).replace(/^delete/, '');
  return {
    summary: [
      `Delete `,
      end(what.slice(0, 30)),
      ...(thing === undefined ? [] : [' ', middle(thing)]),
      ...(place === undefined ? [] : [thing === undefined ? ' ' : ' in ', ...place.summary]),
    ],
    blocks: [...(place?.blocks ?? []), ...shown('Which', thing)],
    reasons: [high(`deletes ${(thing ?? place?.repository ?? '').slice(0, 80)} for everybody`)],
  };
}

export function toldWorkflow(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const workflow = given.word('workflow_id', 'workflow', 'run_id', 'pipeline_id', 'job_id');
  if (place === undefined) return undefined;
  const method = given.text('method');
  const ref = given.word('ref', 'branch');
  const inputs = given.object('inputs', 'variables');
  const own = ownName(method ?? toolName);
  const verb = /cancel/.test(own) ? 'Cancel' : /rerun|retry/.test(own) ? 'Run again' : 'Run';
  return {
    summary: [
      `${verb} workflow `,
      ...(workflow === undefined ? [] : [middle(workflow), ' in ']),
      ...place.summary,
      ...and(' on ', ref, 'middle'),
    ],
    blocks: [
      ...place.blocks,
      ...shown('Workflow', workflow),
      ...shown('Does', method),
      ...shown('On', ref),
      ...jsonRow('Inputs', inputs),
    ],
    reasons: [
      /cancel/.test(own) ? normal('stops a run') : high('runs code with the rights of the repository'),
    ],
  };
}

export function toldRelease(given: Given, { toolName }: DescribeContext): Told | undefined {
  const place = placeIn(given);
  const tag = given.word('tag_name', 'tag', 'name');
  if (place === undefined || tag === undefined) return undefined;
  const [title, body, target] = [
    given.text('title', 'release_name'),
    given.text('body', 'message', 'description'),
    given.word('target_commitish', 'ref', 'target'),
  ];
  const kind = /tag/.test(ownName(toolName)) ? 'tag' : 'release';
  return {
    summary: [`Publish ${kind} `, middle(tag), ' of ', ...place.summary, ...and(': ', title)],
    blocks: [
      ...place.blocks,
      ...shown('Tag', tag),
      ...shown('Title', title),
      ...shown('Text', body, 'markdown'),
      ...shown('Of', target),
      ...watchOut([body]),
    ],
    reasons: [high('publishes for everybody'), ...hiddenReasons([title, body])],
  };
}

export function toldGist(given: Given): Told | undefined {
  const name = given.text('filename', 'file_name', 'title');
  const content = given.text('content');
  const files = given.object('files');
  if (content === undefined && files === undefined) return undefined;
  const open = given.truth('public');
  const description = given.text('description');
  const names = name === undefined ? Object.keys(asObject(files) ?? {}) : [name];
  return {
    summary: [open === true ? 'Publish gist ' : 'Create gist ', ...firstOf(names), ...and(': ', description)],
    blocks: [
      ...listed('Files', names),
      ...shown('Called', description),
      ...shown('Visible to', open === undefined ? undefined : open ? 'everybody' : 'whoever has the address'),
      ...shown('Content', content, 'code'),
      ...jsonRow('Contents', files),
    ],
    reasons: [
      open === true ? high('everybody can see it') : normal('whoever has the address can see it'),
      ...hiddenReasons([content]),
    ],
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

function jsonRow(label: string, value: object | undefined): Block[] {
  return value === undefined ? [] : [block(label, JSON.stringify(value, null, 1), 'json')];
}
