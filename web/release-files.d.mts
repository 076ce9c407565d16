/** Types of release-files.mjs, which runs before anything is built. */
export const LIST: string;
export const SIGNATURE: string;
export function filesBelow(folder: string): string[];
export function writeList(folder: string, version: string): void;
export function signList(folder: string, pem: string): string;
