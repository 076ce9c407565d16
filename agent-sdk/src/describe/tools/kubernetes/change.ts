/** What is put into a cluster: manifests, patches, charts. */
import { type Block, jsonText } from '@countersign/protocol/blocks';
import { type DescribeContext, end, type SummaryPart } from '../../describer.js';
import { block } from '../../rows.js';
import type { Given } from '../given.js';
import { inLine, jsonRow } from '../structured.js';
import {
  firstOf,
  hiddenReasons,
  high,
  listed,
  low,
  type Reason,
  shown,
  type Told,
  watchOut,
} from '../told.js';
import { readManifest } from './manifest.js';
import { placeRows, type Thing, thingOf, thingParts, whereOf, whereParts } from './thing.js';

export function toldApply(given: Given, context: DescribeContext): Told | undefined {
  const manifest = given.any('manifest', 'yaml', 'resource', 'manifest_yaml', 'yaml_content', 'manifests');
  const file = given.text('filename', 'file', 'path', 'manifest_path');
  const thing = thingOf(given, context.toolName);
  const image = given.text('image');
  if (manifest === undefined && file === undefined && thing === undefined && image === undefined)
    return undefined;
  const { things, images, namespaces, reasons } = readManifest(manifest);
  const where = whereOf(given);
  const placed = where.namespace === undefined ? { ...where, namespace: namespaces[0] } : where;
  const dry = given.flag('dry_run', 'dryrun');
  return {
    summary: [
      /create|run/i.test(context.toolName) && !/update/i.test(context.toolName) ? 'Create ' : 'Apply ',
      ...what(things, manifest === undefined ? thing : undefined, file),
      ...(image === undefined ? [] : [' from ', end(image)]),
      ...whereParts(placed),
      ...(dry ? [' (dry run)'] : []),
    ],
    blocks: [
      ...listed('Puts in place', things),
      ...(manifest === undefined ? placeRows(thing, placed) : placeRows(undefined, placed)),
      ...listed('Images', images.length > 0 ? images : image === undefined ? [] : [image]),
      ...manifestRows(manifest),
      ...shown('File', file, 'path'),
      ...watchOut([textOf(manifest)]),
    ],
    reasons: [
      ...(dry ? [low('a dry run changes nothing')] : [high('changes what the cluster runs')]),
      ...(namespaces.some((one) => one === 'kube-system') || where.namespace === 'kube-system'
        ? [high('in the namespace of the cluster itself')]
        : []),
      ...(dry ? [] : reasons),
      ...hiddenReasons([textOf(manifest)]),
    ],
  };
}

function what(things: readonly string[], thing: Thing | undefined, file: string | undefined): SummaryPart[] {
  if (things.length > 0) return firstOf(things);
  if (thing !== undefined) return thingParts(thing);
  return file === undefined ? ['a manifest'] : [end(file)];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function manifestRows(manifest: unknown): Block[] {
  if (manifest === undefined) return [];
  return typeof manifest === 'string'
    ? [block('Manifest', manifest, 'code', 'yaml')]
    : [block('Manifest', jsonText(manifest, true), 'json')];
}

export function toldPatch(given: Given, context: DescribeContext): Told | undefined {
  const thing = thingOf(given, context.toolName);
  const patch = given.any('patch_data', 'patch', 'data', 'patch_file');
  if (thing === undefined || patch === undefined) return undefined;
  const where = whereOf(given);
  const { reasons } = readManifest(patch);
  return {
    summary: ['Patch ', ...thingParts(thing), ...whereParts(where), ': ', end(inLine(patch))],
    blocks: [...placeRows(thing, where), ...jsonRow('Patch', patch)],
    reasons: [high(`changes ${thing.words}`), ...reasons],
  };
}

export function toldHelm(given: Given, { toolName }: DescribeContext): Told | undefined {
  const name = given.text('name', 'release', 'release_name');
  const chart = given.text('chart', 'chart_name');
  const repository = given.text('repo', 'repository', 'repo_url');
  if (name === undefined && chart === undefined) return undefined;
  const where = whereOf(given);
  const verb = /upgrade/i.test(toolName) ? 'Upgrade' : /rollback/i.test(toolName) ? 'Roll back' : 'Install';
  const source = repository ?? (chart !== undefined && /^[a-z]+:\/\//i.test(chart) ? chart : undefined);
  const from: Reason[] = source === undefined ? [] : [high(`the chart comes from ${source.slice(0, 80)}`)];
  return {
    summary: [
      `${verb} `,
      end(name ?? chart ?? ''),
      ...(name === undefined || chart === undefined ? [] : [' from chart ', end(chart)]),
      ...whereParts(where),
    ],
    blocks: [
      ...shown('Release', name),
      ...shown('Chart', chart),
      ...shown('Comes from', repository, 'url'),
      ...placeRows(undefined, where),
      ...jsonRow('Values', given.any('values', 'values_yaml', 'set')),
    ],
    reasons: [high('changes what the cluster runs'), ...from],
  };
}
