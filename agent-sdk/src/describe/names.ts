/** Tool names as the world writes them. Must not know any tool. */

/** What stands before a tool's own name: `mcp__server__tool`, `functions.exec`, `server/tool`, `server:tool`. */
const QUALIFIER = /^.*(?:__|[./:])(?=[^./:_])/s;
/** Longer names are compared as they are. */
const MAX_NAME_UNITS = 256;

/** Case, `_`, `-` and blanks say nothing: `run_shell_command`, `runShellCommand` and `Run-Shell-Command` are one. */
export function plainName(toolName: string): string {
  return toolName.length > MAX_NAME_UNITS ? toolName : toolName.toLowerCase().replace(/[_\- ]/g, '');
}

/** The plain name without the server or namespace before it. */
export function ownName(toolName: string): string {
  return toolName.length > MAX_NAME_UNITS ? toolName : plainName(toolName.replace(QUALIFIER, ''));
}

/** An expression for a name with `*` in it: any characters, none included. */
export function wildcard(name: string): RegExp {
  const parts = name.split(/\*+/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's');
}

/** An expression that remembers where it was would match every second call. */
export function stateless(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
}
