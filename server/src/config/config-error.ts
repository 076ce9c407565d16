/** A configuration that cannot be used. Says which setting, never the value of a secret one. */
import { CountersignError } from '@countersign/protocol';

export function configError(setting: string, problem: string): CountersignError {
  return new CountersignError('invalid_request', `${setting}: ${problem}`, { details: { setting } });
}

/** The setting a {@link configError} names; undefined for any other error. */
export function settingOf(error: unknown): string | undefined {
  if (!(error instanceof CountersignError) || error.code !== 'invalid_request') return undefined;
  const { setting } = error.details;
  return typeof setting === 'string' ? setting : undefined;
}
