/** What commands do, as data: kinds, their words, how grave they are. Must not know programs. */
import type { RiskLevel } from '../../describer.js';

interface Kind {
  /** In a summary, before the target: "Delete build". */
  readonly verb: string;
  /** Name of its row. */
  readonly label: string;
  /** In a reason, before the target: "deletes build". */
  readonly clause: string;
}

/** Gravest first: that is the order in summaries and views. */
export const EFFECT_KINDS = {
  runs_download: {
    verb: 'Run a download from',
    label: 'Runs a download',
    clause: 'runs what is downloaded from',
  },
  runs_hidden: {
    verb: 'Run code made by',
    label: 'Runs hidden code',
    clause: 'runs code that only appears when it runs, made by',
  },
  runs_sql: { verb: 'Run SQL', label: 'Runs SQL', clause: 'runs SQL' },
  erases: { verb: 'Erase', label: 'Erases', clause: 'erases' },
  deletes: { verb: 'Delete', label: 'Deletes', clause: 'deletes' },
  destroys: { verb: 'Destroy', label: 'Destroys', clause: 'destroys' },
  reaches_machine: {
    verb: 'Reach the whole machine by',
    label: 'Reaches the machine by',
    clause: 'reaches the whole machine by',
  },
  discards: { verb: 'Throw away', label: 'Throws away', clause: 'throws away' },
  forces: { verb: 'Force-push', label: 'Force-pushes', clause: 'overwrites history at' },
  opens_shell: { verb: 'Give a shell to', label: 'Gives a shell to', clause: 'gives a shell to' },
  halts: { verb: 'Stop', label: 'Stops', clause: 'stops' },
  restarts: { verb: 'Restart', label: 'Restarts', clause: 'restarts' },
  persists: {
    verb: 'Change what starts by itself:',
    label: 'Changes start-up',
    clause: 'changes what starts by itself:',
  },
  reads_secrets: { verb: 'Read secrets in', label: 'Reads secret files', clause: 'reads secrets in' },
  sends: { verb: 'Send data to', label: 'Sends data to', clause: 'sends data to' },
  overwrites: { verb: 'Overwrite', label: 'Overwrites', clause: 'overwrites' },
  publishes: { verb: 'Publish to', label: 'Publishes to', clause: 'publishes to' },
  pushes: { verb: 'Push to', label: 'Pushes to', clause: 'pushes to' },
  changes: { verb: 'Change', label: 'Changes', clause: 'changes' },
  grants: { verb: 'Change rights of', label: 'Changes rights of', clause: 'changes rights of' },
  owns: { verb: 'Change owner of', label: 'Changes owner of', clause: 'changes owner of' },
  moves: { verb: 'Move', label: 'Moves', clause: 'moves' },
  installs: { verb: 'Install', label: 'Installs', clause: 'installs' },
  appends: { verb: 'Append to', label: 'Appends to', clause: 'appends to' },
  writes: { verb: 'Write', label: 'Writes', clause: 'writes' },
  connects: { verb: 'Connect to', label: 'Connects to', clause: 'connects to' },
  runs_code: { verb: 'Run code in', label: 'Runs code in', clause: 'runs code given on the line in' },
} as const satisfies Record<string, Kind>;

export type EffectKind = keyof typeof EFFECT_KINDS;

const KINDS = Object.keys(EFFECT_KINDS) as EffectKind[];

export interface Effect {
  readonly kind: EffectKind;
  readonly target: string;
  readonly level: RiskLevel;
}

export function effect(kind: EffectKind, target: string, level: RiskLevel = 'normal'): Effect {
  return { kind, target, level };
}

/** Effects of one kind together. */
export interface EffectGroup {
  readonly kind: EffectKind;
  readonly targets: readonly string[];
  readonly level: RiskLevel;
}

/** Groups, gravest kind first, each target once; whoever runs a download connects, too. */
export function grouped(effects: readonly Effect[]): EffectGroup[] {
  const byKind = new Map<EffectKind, Effect[]>();
  for (const one of effects) {
    const same = byKind.get(one.kind);
    if (same === undefined) byKind.set(one.kind, [one]);
    else same.push(one);
  }
  const ran = new Set(byKind.get('runs_download')?.map(({ target }) => target));
  return KINDS.flatMap((kind) => {
    const same = (byKind.get(kind) ?? []).filter(({ target }) => kind !== 'connects' || !ran.has(target));
    return same.length === 0 ? [] : [groupOf(kind, same)];
  });
}

function groupOf(kind: EffectKind, same: readonly Effect[]): EffectGroup {
  const targets = [...new Set(same.map(({ target }) => target))];
  return { kind, targets, level: same.some(({ level }) => level === 'high') ? 'high' : 'normal' };
}
