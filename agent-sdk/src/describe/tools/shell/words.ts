/** Options and operands of a command line, told apart. Must not know programs. */

export interface Line {
  /** `-x`, `--long`, `--long=value`, in order, before `--`. */
  readonly options: readonly string[];
  readonly operands: readonly string[];
}

/** `withValue` are options whose value is the next word. */
export function readLine(args: readonly string[], withValue: readonly string[] = []): Line {
  const options: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') return { options, operands: [...operands, ...args.slice(at + 1)] };
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else {
      options.push(word);
      if (withValue.includes(word)) at += 1;
    }
  }
  return { options, operands };
}

/** Whether one of these is given: `-r` also inside `-rf`, `--force` also as `--force=…`. */
export function has(options: readonly string[], ...wanted: string[]): boolean {
  return options.some((option) =>
    wanted.some((one) =>
      one.startsWith('--') || one.length > 2
        ? option === one || option.startsWith(`${one}=`)
        : /^-[A-Za-z0-9]/.test(option) && option.includes(one.slice(1)),
    ),
  );
}

/** Values of an option that takes one: `-o x`, `--output x`, `--output=x`, `-ox`. */
export function valuesOf(args: readonly string[], ...names: string[]): string[] {
  return args.flatMap((word, at) => {
    if (names.includes(word)) return args[at + 1] === undefined ? [] : [args[at + 1] as string];
    const long = names.find((name) => name.startsWith('--') && word.startsWith(`${name}=`));
    if (long !== undefined) return [word.slice(long.length + 1)];
    const short = names.find((name) => /^-[A-Za-z]$/.test(name) && word.startsWith(name) && word.length > 2);
    return short === undefined ? [] : [word.slice(2)];
  });
}

/** `/usr/bin/rm`, `rm.exe` and `\rm` are `rm`. */
export function programName(word: string): string {
  return (word.split(/[/\\]/).at(-1) ?? word).replace(/\.(?:exe|cmd|bat|com)$/i, '').toLowerCase();
}
