/** A difference: signs, colours, line numbers, and the words that changed. */
import './diff.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { t } from '../../i18n/i18n.js';
import type { BlockProps } from '../block.types.js';
import { Monospace } from '../monospace.js';
import { type DiffLine, diffLines } from './diff-lines.js';
import type { Part } from './word-marks.js';

/** Lines laid out together; those far out of sight cost nothing. */
const CHUNK_LINES = 200;
const SIGN = { same: ' ', old: '-', new: '+', gap: ' ', plain: ' ' } as const;

type Marks = ReadonlyMap<number, readonly Part[]>;
const NO_MARKS: Marks = new Map();

export function DiffValue({ block, texts }: BlockProps) {
  const shown = texts.show(block.value);
  const lines = useMemo(() => diffLines(shown), [shown]);
  const [marks, setMarks] = useState(NO_MARKS);
  useEffect(() => {
    // Without them the lines stand whole all the same.
    import('./word-marks.js').then(
      ({ wordMarks }) => setMarks(wordMarks(lines)),
      () => undefined,
    );
  }, [lines]);
  const chunks = Array.from({ length: Math.ceil(lines.length / CHUNK_LINES) }, (_, at) => at * CHUNK_LINES);
  return (
    <Monospace text={shown}>
      {chunks.map((from) => (
        <span class="diff-chunk" key={from}>
          {lines.slice(from, from + CHUNK_LINES).map((line, at) => (
            <Line key={`${from + at}`} line={line} parts={marks.get(from + at)} />
          ))}
        </span>
      ))}
    </Monospace>
  );
}

function Line({ line, parts }: { line: DiffLine; parts: readonly Part[] | undefined }) {
  return (
    <span class="diff-line" data-kind={line.kind}>
      <span class="diff-number" aria-hidden="true">
        {line.oldNumber ?? ''}
      </span>
      <span class="diff-number" aria-hidden="true">
        {line.newNumber ?? ''}
      </span>
      <span class="diff-sign" aria-hidden="true">
        {SIGN[line.kind]}
      </span>
      <span class="diff-text">
        {line.kind === 'old' && <span class="visually-hidden">{t('diff.old')} </span>}
        {line.kind === 'new' && <span class="visually-hidden">{t('diff.new')} </span>}
        {parts === undefined ? line.text : parts.map(partOf)}
      </span>
      {'\n'}
    </span>
  );
}

function partOf({ text, marked }: Part) {
  return marked ? <mark>{text}</mark> : text;
}
