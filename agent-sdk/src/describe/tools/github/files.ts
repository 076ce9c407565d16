/** Files written at a code host: which, where, with what in them. */
import type { Block } from '@countersign/protocol/blocks';
import { middle, type SummaryPart } from '../../describer.js';
import { inferValue } from '../../infer.js';
import { block, valueRow } from '../../rows.js';
import { asObject, type Given } from '../given.js';
import { isSecretFile } from '../paths.js';
import {
  count,
  firstOf,
  hiddenReasons,
  high,
  listed,
  type Reason,
  shown,
  type Told,
  watchOut,
} from '../told.js';
import { branchIn, branchReasons, type Place, placeIn } from './place.js';

/** Run by others once they are there. */
const WORKFLOW =
  /^\/?(?:\.github\/(?:workflows|actions)\/|\.gitlab-ci\.yml$|\.circleci\/|Jenkinsfile$|\.husky\/|action\.ya?ml$|azure-pipelines\.yml$)/;
const PATH = ['path', 'file_path', 'filename'];
const MESSAGE = ['message', 'commit_message', 'headline'];

export function toldFile(given: Given): Told | undefined {
  const place = placeIn(given);
  const path = given.text(...PATH);
  const content = given.text('content', 'contents', 'file_content');
  if (place === undefined || path === undefined || content === undefined) return undefined;
  const branch = branchIn(given);
  const sha = given.text('sha', 'last_commit_id');
  const message = given.text(...MESSAGE);
  return {
    summary: [
      sha === undefined ? 'Write ' : 'Replace ',
      middle(path),
      ' in ',
      ...place.summary,
      ...branchWords(branch),
    ],
    blocks: [
      ...placeRows(place, branch),
      ...shown('File', path, 'path'),
      ...shown('Message', message, 'text'),
      ...shown('Replaces', sha),
      contentRow(path, content),
      ...watchOut([content, message]),
    ],
    reasons: [...fileReasons([path]), ...branchReasons(branch), ...hiddenReasons([content, message])],
  };
}

interface PushedFile {
  readonly path: string;
  readonly content: string | undefined;
  readonly rest: unknown;
}

export function toldPush(given: Given): Told | undefined {
  const place = placeIn(given);
  const list = given.list('files', 'actions', 'changes', 'additions');
  if (place === undefined || list === undefined) return undefined;
  const files = list.map(pushedFile);
  const branch = branchIn(given);
  const message = given.text(...MESSAGE);
  const paths = files.map(({ path }) => path);
  return {
    summary: [
      `Push ${count(files.length, 'file')} to `,
      ...place.summary,
      ...branchWords(branch),
      ': ',
      ...firstOf(paths),
    ],
    blocks: [
      ...[
        ...placeRows(place, branch),
        ...shown('Message', message, 'text'),
        ...listed(count(paths.length, 'file'), paths),
      ],
      ...files.map(({ path, content, rest }) =>
        content === undefined
          ? block(path, JSON.stringify(rest, null, 1), 'json')
          : contentRow(path, content, path),
      ),
      ...watchOut([message, ...files.slice(0, 20).map(({ content }) => content)]),
    ],
    reasons: [
      ...fileReasons(paths),
      ...branchReasons(branch),
      ...hiddenReasons([message, ...files.slice(0, 20).map(({ content }) => content)]),
    ],
  };
}

/** `{path, content}`; anything more is shown whole. */
function pushedFile(one: unknown): PushedFile {
  const object = asObject(one);
  const path = object?.path ?? object?.file_path;
  const content = object?.content;
  const plain = typeof content === 'string' && Object.keys(object ?? {}).length === 2;
  return {
    path: typeof path === 'string' ? path : 'without a path',
    content: plain ? content : undefined,
    rest: one,
  };
}

export function toldDeleteFile(given: Given): Told | undefined {
  const place = placeIn(given);
  const path = given.text(...PATH);
  if (place === undefined || path === undefined) return undefined;
  const branch = branchIn(given);
  return {
    summary: ['Delete ', middle(path), ' in ', ...place.summary, ...branchWords(branch)],
    blocks: [
      ...placeRows(place, branch),
      ...shown('File', path, 'path'),
      ...shown('Message', given.text(...MESSAGE), 'text'),
    ],
    reasons: [{ level: 'normal', reason: `deletes ${path.slice(0, 80)}` }, ...branchReasons(branch)],
  };
}

export function placeRows(place: Place, branch: string | undefined): Block[] {
  return [...place.blocks, ...shown('Branch', branch)];
}

export function branchWords(branch: string | undefined): SummaryPart[] {
  return branch === undefined ? [] : [' on ', middle(branch)];
}

function contentRow(path: string, content: string, label = 'Content'): Block {
  const inferred = inferValue('content', content, { content, path });
  return content.includes('\n') || content.length > 60
    ? block(label, content, inferred.value_type === 'string' ? 'text' : inferred.value_type, inferred.lang)
    : valueRow(label, inferred);
}

function fileReasons(paths: readonly string[]): Reason[] {
  return paths
    .slice(0, 200)
    .flatMap((path) => [
      ...(WORKFLOW.test(path.slice(0, 500)) ? [high(`${path.slice(0, 80)} runs at the code host`)] : []),
      ...(isSecretFile(path) ? [high(`${path} looks like a file of secrets`)] : []),
    ]);
}
