/** Types of bundle.mjs. */
export const BUNDLE: string;
export const STAMP: string;
export function builtFrom(server: string): Record<string, string>;
export function isCurrent(server: string): boolean;
