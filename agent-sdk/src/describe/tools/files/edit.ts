/** Replacements of text in a text. Must not know files. */

export interface Edit {
  readonly old: string;
  readonly young: string;
  /** Every occurrence, not one. */
  readonly all: boolean;
}

/** More edits than this in one call are not applied, only shown. */
export const MAX_EDITS = 1_000;
/** Results beyond this are not built: an edit of every blank can make a text a million times as long. */
const MAX_RESULT_UNITS = 8 * 1024 * 1024;

export interface Edited {
  /** Undefined when an edit could not be applied. */
  readonly text: string | undefined;
  /** Clauses for a person about edits that do not fit. */
  readonly problems: readonly string[];
}

/** One edit after the other, as tools do it. Never throws. */
export function applyEdits(text: string, edits: readonly Edit[]): Edited {
  const problems: string[] = [];
  let now: string | undefined = edits.length > MAX_EDITS ? undefined : text;
  edits.slice(0, MAX_EDITS).forEach((edit, at) => {
    if (now === undefined) return;
    const which = edits.length === 1 ? 'the text to replace' : `the text to replace in edit ${at + 1}`;
    const found = edit.old === '' ? Number(now === '') : occurrences(now, edit.old);
    if (found === 0) problems.push(`${which} is not in the file as it is now`);
    if (found > 1 && !edit.all) problems.push(`${which} stands ${found} times in the file`);
    now = found === 0 ? undefined : replaced(now, edit, found);
  });
  return { text: now, problems };
}

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count += 1;
  return count;
}

function replaced(text: string, { old, young, all }: Edit, found: number): string | undefined {
  const times = all ? found : 1;
  if (text.length + times * (young.length - old.length) > MAX_RESULT_UNITS) return undefined;
  if (old === '') return young;
  // Functions: a `$&` in the new text is text.
  return all ? text.replaceAll(old, () => young) : text.replace(old, () => young);
}
