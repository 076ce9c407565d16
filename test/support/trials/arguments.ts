/** `--name number` of a trial's command line. Must not know the trials. */

/** @throws Error that names what may be given. */
export function numbersFrom<Name extends string>(
  args: readonly string[],
  defaults: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const values: Record<string, number> = { ...defaults };
  for (let at = 0; at < args.length; at += 2) {
    const name = args[at]?.replace(/^--/, '') ?? '';
    const value = Number(args[at + 1]);
    if (!Object.hasOwn(defaults, name) || !args[at]?.startsWith('--') || !Number.isSafeInteger(value)) {
      const usage = Object.entries(defaults).map(([known, standard]) => `--${known} ${String(standard)}`);
      throw new Error(`usage: ${usage.join(' ')}`);
    }
    values[name] = value;
  }
  return values;
}

/** A seed nobody chose; print it. */
export const freshSeed = (): number => Math.floor(Math.random() * 2 ** 31);

/** Asks whether there is time left; 0 minutes are without end. */
export function minutesFrom(minutes: number): () => boolean {
  const end = minutes === 0 ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000;
  return () => performance.now() < end;
}
