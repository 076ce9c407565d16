/** What a bench says of each thing it measured, as data and as a table. Must not know how it is measured. */
import { isSaturated, type Load } from './saturation.js';
import { type Figure, figureOf, ratiosOf } from './statistics.js';

export interface Row {
  readonly what: string;
  readonly unit: string;
  readonly ours: Figure;
  readonly baseline: { readonly what: string } & Figure;
  readonly ratio: Figure;
  readonly reach: Reach;
  /** Why the figure says nothing, if it does not. */
  readonly void?: string;
  readonly note?: string;
}

export interface Reach {
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Measured {
  readonly what: string;
  readonly unit: string;
  readonly baseline: string;
  readonly reach: Reach;
  readonly ours: readonly number[];
  readonly others: readonly number[];
  readonly void?: string | undefined;
  readonly note?: string | undefined;
}

export function rowOf({ what, unit, baseline, reach, ours, others, note, ...rest }: Measured): Row {
  return {
    what,
    unit,
    ours: figureOf(ours),
    baseline: { what: baseline, ...figureOf(others) },
    ratio: figureOf(ratiosOf(ours, others)),
    reach,
    ...(rest.void === undefined ? {} : { void: rest.void }),
    ...(note === undefined ? {} : { note }),
  };
}

export function isReached({ ratio, reach, ...row }: Row): boolean {
  if (row.void !== undefined) return false;
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = reach;
  return ratio.median >= atLeast && ratio.median <= atMost;
}

export function table(rows: readonly Row[]): string {
  const head = ['what', 'relay', 'baseline', 'ratio (lowest – highest)', 'aim', 'reached'];
  const lines = rows.map((row) => [
    `${row.what}${row.note ? ` (${row.note})` : ''}`,
    `${spread(row.ours)} ${row.unit}`,
    `${row.baseline.what}: ${spread(row.baseline)} ${row.unit}`,
    spread(row.ratio),
    aim(row.reach),
    row.void ? `void: ${row.void}` : isReached(row) ? 'yes' : 'no',
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** One line, for who waits for the rest. */
export function summary(row: Row): string {
  const verdict = row.void
    ? `void: ${row.void}`
    : `${short(row.ratio.median)} of the baseline, aim ${aim(row.reach)}`;
  return `${row.what}: ${short(row.ours.median)} ${row.unit}, ${verdict}`;
}

function spread({ median, min, max }: Figure): string {
  return `${short(median)} (${short(min)} – ${short(max)})`;
}

/** Three digits that count. */
function short(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });
}

function aim({ atLeast, atMost }: Reach): string {
  return atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`;
}

export interface WithLoad {
  readonly load: Load;
}

/** Pairs in which both servers were saturated; when that is less than half of them, why the figure is void. */
export function saturatedPairs<T extends WithLoad>(ours: readonly T[], others: readonly T[]) {
  const isSound = (_: T, at: number) => [ours[at], others[at]].every((run) => run && isSaturated(run.load));
  const sound = { ours: ours.filter(isSound), others: others.filter(isSound) };
  if (2 * sound.ours.length > ours.length) return sound;
  const shares = [...ours, ...others].map(({ load }) => Math.round(100 * load.wantedShare));
  return { ours, others, void: `a server was busy ${Math.min(...shares)} % of the time only` };
}
