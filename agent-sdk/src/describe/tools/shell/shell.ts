/** Shell commands in words: what they do first, the command itself, and nothing of it hidden. */
import { type Block, isSecretKey, looksLikeSecret } from '@countersign/protocol/blocks';
import type { JsonObject } from '../../call.js';
import {
  type DescribeContext,
  type Describer,
  middle,
  oncePerCall,
  type SummaryPart,
} from '../../describer.js';
import { block, otherRows, row } from '../../rows.js';
import { CLAIM_NAMES, claimRows } from '../claims.js';
import { addressesIn, readAddress } from '../web/address.js';
import { type Analysis, analyse } from './analyse.js';
import { type ShellCall, shellCall } from './call.js';
import { EFFECT_KINDS, type EffectGroup, grouped } from './effect.js';
import { type Hidden, hiddenIn } from './hidden.js';
import { riskOf } from './risk.js';

/** Effects and targets a summary names; the rest is counted. */
const MAX_SUMMARISED = 2;
const MAX_TARGETS = 2;
const MAX_LISTED = 30;

interface Read {
  readonly call: ShellCall;
  readonly analysis: Analysis;
  readonly groups: readonly EffectGroup[];
  readonly hidden: readonly Hidden[];
}

function read(args: JsonObject, context: DescribeContext): Read {
  return oncePerCall(context, read, () => {
    const call = shellCall(args, context.toolName);
    if (call === undefined) throw new TypeError('runs nothing');
    const analysis = analyse(call.script, call.dialect);
    return {
      call,
      analysis,
      groups: grouped(analysis.effects),
      hidden: [...hiddenIn(call.script), ...misleading(call.script)],
    };
  });
}

/** Hosts that are not what they look like, with the name that the network uses. */
function misleading(script: string): Hidden[] {
  if (!script.includes('://')) return [];
  const reasons = addressesIn(script).flatMap((one) => hostReasonsOf(one));
  return [...new Set(reasons)].map((words) => ({ words, grave: true }));
}

/** Of the address's reasons those that no other row of a command tells. */
function hostReasonsOf(address: string): string[] {
  // A variable's value is not known here.
  if (/[$`\\]/.test(address.slice(0, 300))) return [];
  const reasons = readAddress(address)?.reasons ?? [];
  return reasons
    .filter(({ level, reason }) => level === 'high' && !reason.endsWith('a secret'))
    .map(({ reason }) => reason);
}

/** For every tool that runs a command line. */
export const shell: Describer = {
  accepts: (args, context) => shellCall(args, context.toolName) !== undefined,
  summary: (args, context) => summaryOf(read(args, context), context),
  view: (args, context) => viewOf(args, read(args, context)),
  risk: (args, context) => {
    const { call, analysis, groups, hidden } = read(args, context);
    return riskOf(call, analysis, groups, hidden);
  },
};

function summaryOf({ call, analysis, groups, hidden }: Read, context: DescribeContext): SummaryPart[] {
  const who = whoRuns(call, analysis);
  const named = groups.slice(0, MAX_SUMMARISED).flatMap(({ kind, targets }, at) => {
    const { verb } = EFFECT_KINDS[kind];
    return [
      at === 0 && who === '' ? `${verb} ` : `${at === 0 ? '' : ', '}${lower(verb)} `,
      ...targetsOf(targets),
    ];
  });
  const more = groups.length - MAX_SUMMARISED;
  const doubt = hidden.some(({ grave }) => grave) || analysis.disguised.length > 0 ? '⚠ ' : '';
  const verb = call.used[0] === 'chars' ? 'Type into a running program: ' : 'Run ';
  const run = who === '' ? verb : lower(verb);
  const first = groups.length === 0 ? [run] : [...named, more > 0 ? ` (+${more} more): ` : ': '];
  return [`${doubt}${who}`, ...first, middle(commandLine(call, analysis)), ...placeOf(call, context)];
}

function whoRuns({ user }: ShellCall, { users }: Analysis): string {
  const all = [...users, ...(user === undefined ? [] : [user])];
  if (all.length === 0) return '';
  return all.includes('root') ? 'As root: ' : 'As another user: ';
}

function targetsOf(targets: readonly string[]): SummaryPart[] {
  const shown = targets
    .slice(0, MAX_TARGETS)
    .flatMap((target, at) => (at === 0 ? [middle(target)] : [', ', middle(target)]));
  return targets.length > MAX_TARGETS ? [...shown, ` +${targets.length - MAX_TARGETS}`] : shown;
}

/** Statements without comments and blank lines between them; the whole text where it does not parse. */
function commandLine({ script }: ShellCall, { statements, broken }: Analysis): string {
  return broken || statements.length === 0
    ? script
    : statements
        .join('; ')
        .replace(/\\\n\s*/g, ' ')
        .replace(/\n\s*/g, ' ⏎ ');
}

function placeOf({ cwd }: ShellCall, context: DescribeContext): SummaryPart[] {
  return cwd === undefined || cwd === '' || cwd === context.cwd || cwd === '.' ? [] : [' in ', middle(cwd)];
}

function lower(verb: string): string {
  return verb.charAt(0).toLowerCase() + verb.slice(1);
}

function viewOf(args: JsonObject, { call, analysis, groups, hidden }: Read): Block[] {
  const warnings = [
    ...hidden.map(({ words }) => words),
    ...(analysis.disguised.length > 0
      ? [`written so that it is hard to recognise: ${listed(analysis.disguised, ', ')}`]
      : []),
    ...(analysis.broken ? ['does not parse as a shell script; a shell may read it differently'] : []),
    ...(analysis.cut ? ['too long to be read through: more may happen than is listed here'] : []),
  ];
  const users = [...analysis.users, ...(call.user === undefined ? [] : [call.user])];
  return [
    block('Command', call.script, 'command'),
    ...warnings.map((warning) => row('Watch out', warning)),
    ...(users.length === 0 ? [] : [row('Runs as', [...new Set(users)].join(', '))]),
    ...(call.escalates === undefined ? [] : [row('Asks to run', call.escalates)]),
    ...groups.map(({ kind, targets }) => row(EFFECT_KINDS[kind].label, listed(targets, '\n'))),
    ...(call.cwd === undefined ? [] : [row('Directory', call.cwd, 'path')]),
    ...(call.runner === undefined ? [] : [row('Shell', call.runner)]),
    ...(analysis.programs.length < 2 ? [] : [row('Programs', listed(analysis.programs, ', '))]),
    ...[...call.env, ...analysis.env.filter(isSecretVariable)].map(variableRow),
    ...claimRows(args),
    ...(call.found === args ? [] : otherRows(call.found, call.used)),
    ...otherRows(args, [...(call.found === args ? call.used : ['action']), ...CLAIM_NAMES]),
  ];
}

function isSecretVariable({ name, value }: { name: string; value: string }): boolean {
  return !value.includes('$') && value !== '' && (isSecretKey(name) || looksLikeSecret(value));
}

function variableRow({ name, value }: { name: string; value: string }): Block {
  return row(`$${name}`, value, isSecretKey(name) || looksLikeSecret(value) ? 'secret' : 'string');
}

function listed(items: readonly string[], between: string): string {
  const more = items.length - MAX_LISTED;
  return `${items.slice(0, MAX_LISTED).join(between)}${more > 0 ? `${between}and ${more} more` : ''}`;
}
