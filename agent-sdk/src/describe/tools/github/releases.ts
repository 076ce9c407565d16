/** What runs or is published at a code host: workflows, releases, gists. */
import type { Block } from '@countersign/protocol/blocks';
import { type DescribeContext, middle } from '../../describer.js';
import { ownName } from '../../names.js';
import { block } from '../../rows.js';
import { asObject, type Given } from '../given.js';
import {
  and,
  firstOf,
  hiddenReasons,
  high,
  leakReasons,
  listed,
  normal,
  shown,
  type Told,
  watchOut,
} from '../told.js';
import { placeIn } from './place.js';

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
  const tag = given.word('tag_name', 'tag');
  if (place === undefined || tag === undefined) return undefined;
  const [title, body, target] = [
    given.text('title', 'release_name', 'name'),
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
      ...leakReasons([content]),
      ...hiddenReasons([content]),
    ],
  };
}

function jsonRow(label: string, value: object | undefined): Block[] {
  return value === undefined ? [] : [block(label, JSON.stringify(value, null, 1), 'json')];
}
