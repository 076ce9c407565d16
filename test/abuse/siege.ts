/**
 * Attacks upon as few relays as their settings need: those that want the same relay get one, one after another; relays
 * stand side by side, as many as asked. Must not know the attacks.
 */
import { HealthyPair } from '../support/trials/healthy-pair.js';
import { problemOfLine } from '../support/trials/log-check.js';
import { RelayProcess } from '../support/trials/relay-process.js';
import { type Attack, Attacking, type AttackOptions, type AttackReport, type Besieged } from './attack.js';

export interface SiegeOptions extends AttackOptions {
  /** Relays side by side. */
  readonly relays: number;
  /** Asked before each attack; what it refuses is left out. */
  readonly goesOn?: () => boolean;
}

/** Told of each attack as it ends. */
export interface SiegeListener {
  onReport(plan: Attack, report: AttackReport): void;
  onFailure(plan: Attack, error: unknown): void;
}

const LOG_LINES = 20_000;

/** Resolves when all were tried or left out; never rejects. */
export async function siege(
  plans: readonly Attack[],
  options: SiegeOptions,
  listener: SiegeListener,
): Promise<void> {
  const groups = grouped(plans, options);
  const lane = async () => {
    for (let next = groups.shift(); next; next = groups.shift()) await besiege(next, options, listener);
  };
  await Promise.all(Array.from({ length: options.relays }, lane));
}

/** The largest first, so that none is left over at the end. */
function grouped(plans: readonly Attack[], options: AttackOptions): Attack[][] {
  const groups = new Map<string, Attack[]>();
  for (const plan of plans) {
    const { agentKeys, ...pair } = plan.pair ?? {};
    const key = JSON.stringify([plan.settings?.(options) ?? {}, pair, agentKeys && plan.name]);
    groups.set(key, [...(groups.get(key) ?? []), plan]);
  }
  return [...groups.values()].sort((a, b) => b.length - a.length);
}

async function besiege(
  plans: readonly Attack[],
  options: SiegeOptions,
  listener: SiegeListener,
): Promise<void> {
  const left = [...plans];
  try {
    await onOneRelay(plans[0] as Attack, options, async (besieged) => {
      for (let plan = left.shift(); plan; plan = left.shift()) {
        if (options.goesOn?.() === false) return;
        await new Attacking(plan, options, besieged).run().then(
          (report) => listener.onReport(plan as Attack, report),
          (error: unknown) => listener.onFailure(plan as Attack, error),
        );
      }
    });
  } catch (error) {
    for (const plan of left) listener.onFailure(plan, error);
  }
}

async function onOneRelay(
  { settings, pair: pairOptions }: Attack,
  options: AttackOptions,
  run: (besieged: Besieged) => Promise<void>,
): Promise<void> {
  const [log, problems]: [string[], string[]] = [[], []];
  const onLog = (line: string) => {
    if (log.length < LOG_LINES) log.push(line);
    const problem = problemOfLine(line);
    if (problem) problems.push(problem);
  };
  const relay = await RelayProcess.start({ settings: { logLevel: 'info', ...settings?.(options) }, onLog });
  try {
    const { url, invite } = relay;
    const pair = (await HealthyPair.open({ url, invite, ...pairOptions })).start();
    await run({ relay, pair, log, problems });
    // What it lost was told by the attack it was lost in.
    await pair.stop().catch(() => undefined);
    pair.close();
  } finally {
    await relay.close();
  }
}
