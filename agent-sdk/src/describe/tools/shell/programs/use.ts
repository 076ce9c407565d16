/** What a rule about a program is given. Must not know any program. */
import type { Effect } from '../effect.js';

export interface Use {
  readonly program: string;
  readonly args: readonly string[];
  /** Operands come from another command too. */
  readonly fed: boolean;
  /** What a here-document gives it to read. */
  readonly input: string | undefined;
  /** An operand seen from where the script went by `cd`. */
  path(operand: string): string;
  /** The effects of a command this one starts. */
  command(words: readonly string[]): Effect[];
  /** The effects of a script this one runs; a POSIX one unless said otherwise. */
  script(text: string, dialect?: 'powershell' | 'cmd'): Effect[];
}

/** Nothing known: an empty list. Never throws. */
export type Rule = (use: Use) => readonly Effect[];

export type Rules = readonly (readonly [programs: string, rule: Rule])[];

/** What stands in place of operands nobody can see. */
export const FED = 'whatever comes in';
