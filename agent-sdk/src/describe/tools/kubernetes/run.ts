/** Commands inside a cluster, and command lines for it: read as the shell's are. */
import { quoteArgv } from '../../argv.js';
import type { DescribeContext, SummaryPart } from '../../describer.js';
import { row } from '../../rows.js';
import type { Given } from '../given.js';
import { shell } from '../shell/shell.js';
import { high, normal, type Reason, shown, type Told } from '../told.js';
import { thingParts, whereOf, whereParts } from './thing.js';

/** `["sh", "-c", "…"]` or a text, in a container. */
export function toldExec(given: Given, context: DescribeContext): Told | undefined {
  const command = given.any('command', 'cmd');
  const pod = given.text('name', 'pod_name', 'pod', 'resource_name');
  const read = ofShell({ command }, context);
  if (pod === undefined || read === undefined) return undefined;
  const where = whereOf(given);
  const thing = { kind: 'pod', written: 'pod', name: pod, selector: undefined, words: `pod ${pod}` };
  return {
    summary: ['In ', ...thingParts(thing), ...whereParts(where), ': ', ...read.summary],
    blocks: [
      ...read.blocks,
      row('Pod', pod),
      ...shown('Namespace', where.namespace),
      ...shown('Cluster', where.cluster),
      ...shown('Container', given.text('container', 'container_name')),
    ],
    reasons: [...(read.reasons ?? []), high(`runs inside pod ${pod}`)],
  };
}

/** `{command: "delete", resourceType: "pod", name: "x", flags: {…}, args: […]}` is one line of kubectl. */
export function toldGeneric(given: Given, context: DescribeContext): Told | undefined {
  const words = [
    ...given.words('command'),
    ...given.words('sub_command'),
    ...given.words('resource_type'),
    ...given.words('name'),
    ...[given.text('namespace')].flatMap((one) => (one === undefined ? [] : ['-n', one])),
    ...flagsOf(given),
    ...given.words('args'),
  ];
  if (words.length === 0) return undefined;
  const line = words[0]?.includes(' ') === true ? words.join(' ') : quoteArgv(words);
  return ofShell({ command: /^kubectl\b/.test(line) ? line : `kubectl ${line}` }, context);
}

function flagsOf(given: Given): string[] {
  return Object.entries(given.object('flags') ?? {}).map(([name, value]) => {
    const flag = name.startsWith('-') ? name : `${name.length === 1 ? '-' : '--'}${name}`;
    return value === true
      ? flag
      : `${flag}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
  });
}

function ofShell(args: { command: unknown }, context: DescribeContext): Told | undefined {
  // Its own context: what the shell family remembers of a call is of the call it is given.
  const inner: DescribeContext = { ...context };
  if (shell.accepts?.(args, inner) !== true) return undefined;
  const blocks = shell.view(args, inner);
  const { level = 'normal', reasons = [] } = shell.risk?.(args, inner) ?? {};
  const graded = reasons.map((reason): Reason => (level === 'high' ? high(reason) : normal(reason)));
  return {
    summary: shell.summary(args, inner) as readonly SummaryPart[],
    blocks: Array.isArray(blocks) ? blocks : [],
    reasons: level === 'low' ? reasons.map((reason) => ({ level, reason })) : graded,
    least: level,
  };
}
