/** File tools in words: which file, what becomes of it line by line, and what is odd about it. */
import type { JsonObject } from '../../call.js';
import { type DescribeContext, type Describer, oncePerCall } from '../../describer.js';
import { otherRows } from '../../rows.js';
import { CLAIM_NAMES, claimRows } from '../claims.js';
import { type FileCall, type FileVerb, fileCall } from './call.js';
import type { Told } from './place.js';
import { told } from './told.js';

/** A describer for tools that do this to files. */
export function filesDescriber(verb: FileVerb): Describer {
  const callOf = (args: JsonObject): FileCall => {
    const call = fileCall(verb, args);
    if (call === undefined) throw new TypeError('not a call of this shape');
    return call;
  };
  const toldOf = (args: JsonObject, context: DescribeContext): Told =>
    oncePerCall(context, told, () => told(callOf(args), context));
  return {
    accepts: (args) => fileCall(verb, args) !== undefined,
    summary: (args, context) => toldOf(args, context).summary,
    view: (args, context) => [
      ...toldOf(args, context).blocks,
      ...claimRows(args),
      ...otherRows(args, [...callOf(args).used, ...CLAIM_NAMES]),
    ],
    risk: (args, context) => toldOf(args, context).risk,
    reads: (args) => readsOf(callOf(args)),
  };
}

/** Files whose present content says what the call changes or destroys. */
function readsOf(call: FileCall): readonly string[] {
  switch (call.kind) {
    case 'write':
    case 'append':
    case 'edit':
    case 'insert':
    case 'sketch':
      return [call.path];
    case 'patch':
      return call.patch.files.map(({ path }) => path);
    case 'delete':
      return call.paths.length === 1 ? call.paths : [];
    case 'move':
    case 'copy':
      return [call.to];
    case 'undo':
    case 'directory':
    case 'read':
    case 'list':
    case 'search':
      return [];
  }
}
