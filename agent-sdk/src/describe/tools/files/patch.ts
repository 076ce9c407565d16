/**
 * Texts that hold changes, as files and edits: the patch format of Codex, unified diffs, blocks of search and replace.
 * Forgiving: what it cannot read it gives back as unread. Must not know files' contents.
 */
import { type Edit, MAX_EDITS } from './edit.js';

export interface FilePatch {
  readonly action: 'add' | 'update' | 'delete';
  readonly path: string;
  readonly movedTo: string | undefined;
  /** Lines of the diff with their signs, stretches apart: ` same`, `-old`, `+new`, `@@ where`. */
  readonly lines: readonly string[];
}

/** Files one patch may touch; the rest is said to be unread. */
export const MAX_PATCHED_FILES = 200;
const MAX_PATCH_UNITS = 1_500_000;
/** Longer patches are read this far, and said to be. */
export const MAX_PATCH_LINES = 60_000;

export interface Patch {
  readonly files: readonly FilePatch[];
  /** Something in it was not understood. */
  readonly broken: boolean;
}

/** A patch in whichever of the formats it is; undefined for a text that is none. */
export function readPatch(text: string): Patch | undefined {
  const all = text.slice(0, MAX_PATCH_UNITS).split('\n', MAX_PATCH_LINES + 1);
  const cut = text.length > MAX_PATCH_UNITS || all.length > MAX_PATCH_LINES;
  const lines = all.slice(0, MAX_PATCH_LINES).map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const patch = lines.some((line) => line.startsWith('*** Begin Patch'))
    ? readCodex(lines)
    : readUnified(lines);
  return patch.files.length === 0 ? undefined : { ...patch, broken: patch.broken || cut };
}

type Open = { -readonly [K in keyof Omit<FilePatch, 'lines'>]: FilePatch[K] } & { lines: string[] };

/** `*** Begin Patch`, `*** Add File: x`, … as Codex documents it. */
function readCodex(lines: readonly string[]): Patch {
  const files: Open[] = [];
  let broken = false;
  let ended = false;
  for (const line of lines.slice(lines.findIndex((one) => one.startsWith('*** Begin Patch')) + 1)) {
    const head = /^\*\*\* (Add|Update|Delete) File: (.+)$/.exec(line);
    const moved = /^\*\*\* Move to: (.+)$/.exec(line);
    const file = files.at(-1);
    if (line.startsWith('*** End Patch')) ended = true;
    else if (head !== null) files.push(opened(head[1] ?? '', head[2] ?? ''));
    else if (moved !== null && file !== undefined) file.movedTo = moved[1];
    else if (line.startsWith('*** End of File') || (line === '' && ended)) continue;
    else if (file === undefined || ended) broken ||= line.trim() !== '';
    else if (/^(?:[ +-]|@@|$)/.test(line)) file.lines.push(line);
    else broken = true;
    if (files.length > MAX_PATCHED_FILES) return { files: files.slice(0, MAX_PATCHED_FILES), broken: true };
  }
  return { files, broken: broken || !ended };
}

function opened(action: string, path: string): Open {
  const kind = action === 'Add' ? 'add' : action === 'Delete' ? 'delete' : 'update';
  return { action: kind, path: path.trim(), movedTo: undefined, lines: [] };
}

/** Lines around hunks that say nothing a person decides on. */
const SILENT =
  /^(?:diff --git |index [0-9a-f]+\.\.|similarity index |rename |new file mode 100644|deleted file mode |$)/;

/** `--- a/x`, `+++ b/x`, `@@ -1,2 +1,3 @@` (the unified format of POSIX diff, with git's headers). */
function readUnified(lines: readonly string[]): Patch {
  const reader = new UnifiedReader();
  for (let at = 0; at < lines.length; at++) {
    if (reader.isFull()) break;
    at += reader.take(lines[at] ?? '', lines[at + 1] ?? '');
  }
  return reader.result();
}

class UnifiedReader {
  readonly #files: Open[] = [];
  #renamedFrom: string | undefined;
  /** Lines the present hunk still has to come. */
  #left = { old: 0, young: 0 };
  #broken = false;

  isFull(): boolean {
    return this.#files.length > MAX_PATCHED_FILES;
  }

  result(): Patch {
    const broken = this.#broken || this.isFull() || this.#left.old > 0 || this.#left.young > 0;
    return { files: this.#files.slice(0, MAX_PATCHED_FILES), broken };
  }

  /** How many more lines than this one were used. */
  take(line: string, next: string): number {
    const file = this.#files.at(-1);
    if (file !== undefined && (this.#left.old > 0 || this.#left.young > 0)) this.#inHunk(file, line);
    else if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      // A rename with changes names its file twice.
      const given = unifiedFile(line.slice(4), next.slice(4));
      if (
        file !== undefined &&
        file.lines.length === 0 &&
        file.movedTo !== undefined &&
        file.path === given.path
      )
        return 1;
      this.#files.push(given);
      return 1;
    } else this.#between(line, file);
    return 0;
  }

  #between(line: string, file: Open | undefined): void {
    const hunk = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/.exec(line);
    if (hunk !== null && file !== undefined) {
      this.#left = { old: Number(hunk[1] ?? 1), young: Number(hunk[2] ?? 1) };
      file.lines.push(line);
    } else if (line.startsWith('\\') && file !== undefined) file.lines.push(line);
    else if (line.startsWith('rename from ')) this.#renamedFrom = line.slice(12);
    else if (line.startsWith('rename to ') && this.#renamedFrom !== undefined) {
      this.#files.push({ action: 'update', path: this.#renamedFrom, movedTo: line.slice(10), lines: [] });
    } else if (!SILENT.test(line)) this.#broken = true;
  }

  #inHunk(file: Open, line: string): void {
    const sign = line.charAt(0);
    if (sign !== '\\') {
      if (!/^[ +-]?$/.test(sign)) this.#broken = true;
      this.#left = {
        old: this.#left.old - Number(sign !== '+'),
        young: this.#left.young - Number(sign !== '-'),
      };
    }
    file.lines.push(line);
  }
}

function unifiedFile(from: string, to: string): Open {
  const [old, young] = [from, to].map((name) => name.split('\t')[0]?.replace(/^[abciw]\//, '') ?? name);
  if (from.startsWith('/dev/null'))
    return { action: 'add', path: young ?? '', movedTo: undefined, lines: [] };
  if (to.startsWith('/dev/null')) return { action: 'delete', path: old ?? '', movedTo: undefined, lines: [] };
  return { action: 'update', path: old ?? '', movedTo: old === young ? undefined : young, lines: [] };
}

/** `<<<<<<< SEARCH … ======= … >>>>>>> REPLACE`, also with `-------` and `+++++++`. Undefined when it holds none. */
export function readSearchReplace(text: string): Edit[] | undefined {
  const edits: Edit[] = [];
  let side: 'none' | 'old' | 'new' = 'none';
  let old: string[] = [];
  let young: string[] = [];
  for (const line of text.slice(0, MAX_PATCH_UNITS).split('\n', MAX_PATCH_LINES)) {
    if (side === 'none' && /^[<-]{5,9} ?SEARCH>?\s*$/.test(line)) [side, old, young] = ['old', [], []];
    else if (side === 'old' && /^={5,9}\s*$/.test(line)) side = 'new';
    else if (side === 'new' && /^[>+]{5,9} ?REPLACE>?\s*$/.test(line)) {
      edits.push({ old: old.join('\n'), young: young.join('\n'), all: false });
      side = 'none';
    } else if (side === 'old' && !(old.length === 0 && /^(?::\w+_line:.*|-------)$/.test(line)))
      old.push(line);
    else if (side === 'new') young.push(line);
    if (edits.length > MAX_EDITS) return undefined;
  }
  return side === 'none' && edits.length > 0 ? edits : undefined;
}
