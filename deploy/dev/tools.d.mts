/** Types of tools.mjs, which runs before anything is built. */
export interface Tool {
  readonly command: string;
  readonly aptPackage: string;
  /** Of `npm test`: leaves out the tests that need it. */
  readonly flag: string;
  readonly tests: string;
}

export function listedTools(): Tool[];
export function toolVariable(command: string): string;
export function findTool(command: string): string | undefined;
export function planTools(args: readonly string[]): {
  readonly args: string[];
  readonly left: string[];
  readonly missing: Tool[];
};
export function missingText(missing: readonly Tool[]): string;
