/** Words for approvals from a registry of describers, and what it may know of files. Must not know items. */
import { homedir } from 'node:os';
import { isAbsolute, parse } from 'node:path';
import { CountersignError } from '@countersign/protocol';
import { type CallContext, type Registry, readDescribeContext } from '../describe/index.js';
import type { Around, Wording } from '../inbox/index.js';

export interface WordingOptions {
  readonly registry: Registry;
  /** Absolute directories; default: the one the call runs in. */
  readonly fileRoots?: readonly string[] | undefined;
}

/** @throws CountersignError `invalid_request` for roots that are no absolute paths. */
export function registryWording({ registry, fileRoots }: WordingOptions): Wording {
  if (fileRoots?.some((root) => typeof root !== 'string' || !isAbsolute(root))) {
    throw new CountersignError('invalid_request', 'fileRoots must be absolute paths.', {
      details: { member: 'fileRoots' },
    });
  }
  return {
    summary: (toolName, args) => registry.describeCall(toolName, args).view.summary,
    async words(toolName, args, around) {
      const known = contextOf(around);
      const roots = fileRoots ?? (isRoot(known.cwd) ? [] : [known.cwd]);
      return registry.describeCall(
        toolName,
        args,
        await readDescribeContext(registry, toolName, args, { ...known, roots }),
      );
    },
  };
}

function contextOf({ cwd = process.cwd(), tool }: Around): CallContext & { cwd: string } {
  return {
    cwd,
    home: homedir(),
    schema: tool?.inputSchema,
    title: tool?.title,
    description: tool?.description,
    annotations: tool?.annotations,
  };
}

/** Where a background process lives is no place a person works in. */
function isRoot(directory: string): boolean {
  return parse(directory).root === directory;
}
