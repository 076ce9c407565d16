/** A diff value as lines with their numbers (03 §4). Pure. Must not know colours. */

export interface DiffLine {
  /** `plain`: a line without a known sign, shown as it is. `gap`: lines that were left out. */
  readonly kind: 'same' | 'old' | 'new' | 'gap' | 'plain';
  readonly text: string;
  readonly oldNumber?: number;
  readonly newNumber?: number;
}

const KINDS = new Map([
  ['= ', 'same'],
  ['- ', 'old'],
  ['+ ', 'new'],
] as const);
const GAP = /^⋯ ([\d,.\s]*)/;

export function diffLines(value: string): DiffLine[] {
  let [oldNumber, newNumber] = [1, 1];
  return value.split('\n').map((line): DiffLine => {
    const { kind, text } = signOf(line);
    if (kind === 'plain') return { kind, text };
    const gap = kind === 'same' ? GAP.exec(text) : null;
    if (gap !== null) {
      const skipped = Number((gap[1] ?? '').replaceAll(/\D/g, ''));
      oldNumber += skipped;
      newNumber += skipped;
      return { kind: 'gap', text };
    }
    if (kind === 'old') return { kind, text, oldNumber: oldNumber++ };
    if (kind === 'new') return { kind, text, newNumber: newNumber++ };
    return { kind: 'same', text, oldNumber: oldNumber++, newNumber: newNumber++ };
  });
}

function signOf(line: string): { kind: DiffLine['kind']; text: string } {
  // An empty line may have lost the blank after its sign.
  const kind = KINDS.get((line.length === 1 ? `${line} ` : line.slice(0, 2)) as '= ');
  return kind === undefined ? { kind: 'plain', text: line } : { kind, text: line.slice(2) };
}

/** Runs of old lines directly followed by new ones, paired one to one: `[index of old, index of new]`. */
export function changedPairs(lines: readonly DiffLine[]): [number, number][] {
  const pairs: [number, number][] = [];
  for (let at = 0; at < lines.length; ) {
    const olds = runOf(lines, at, 'old');
    const news = runOf(lines, at + olds, 'new');
    for (let step = 0; step < Math.min(olds, news); step++) pairs.push([at + step, at + olds + step]);
    at += Math.max(1, olds + news);
  }
  return pairs;
}

function runOf(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): number {
  let length = 0;
  while (lines[from + length]?.kind === kind) length++;
  return length;
}
