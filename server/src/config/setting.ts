/** One setting: its schema, how its environment variable is read, what it says in `--help`. */
import { z } from 'zod';

export type SettingKind = 'text' | 'number' | 'flag' | 'list' | 'json';

export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly schema: Schema;
  /** How the text of an environment variable becomes a value. */
  readonly kind: SettingKind;
  readonly help: string;
  /** Never printed. */
  readonly secret?: boolean;
}

export type Settings = Readonly<Record<string, Setting>>;

export function text<S extends z.ZodType>(schema: S, help: string): Setting<S> {
  return { schema, kind: 'text', help };
}

export function flag(fallback: boolean, help: string): Setting<z.ZodDefault<z.ZodBoolean>> {
  return { schema: z.boolean('must be true or false').default(fallback), kind: 'flag', help };
}

/** Comma-separated in an environment variable. */
export function list<S extends z.ZodType>(item: S, help: string): Setting<z.ZodDefault<z.ZodArray<S>>> {
  const schema = z.array(item, 'must be a list').default([]) as z.ZodDefault<z.ZodArray<S>>;
  return { schema, kind: 'list', help };
}

/** A whole number of `min` or more; the unit belongs into the setting's name. */
export function count(fallback: number, help: string, min = 1): Setting<z.ZodDefault<z.ZodNumber>> {
  const schema = z
    .int('must be a whole number')
    .min(min, `must be ${min} or more`)
    .max(Number.MAX_SAFE_INTEGER, 'is too large');
  return { schema: schema.default(fallback) as z.ZodDefault<z.ZodNumber>, kind: 'number', help };
}

/** `maxConnections` → `COUNTERSIGN_RELAY_MAX_CONNECTIONS`. */
export function variableOf(name: string): string {
  return `${VARIABLE_PREFIX}${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export const VARIABLE_PREFIX = 'COUNTERSIGN_RELAY_';
