/**
 * Cuts a view to what fits into a message beside the arguments: whole where it can be, else said so with
 * `truncated`. Must not know tools.
 */
import { utf8 } from '@countersign/protocol';
import {
  type Block,
  createMasker,
  findSecrets,
  isSecretBlock,
  toWellFormed,
  type View,
} from '@countersign/protocol/blocks';
import { row } from './rows.js';
import { shareOut } from './share-out.js';

/** Bytes of JSON of all blocks: a quarter of what a live payload holds, so that the arguments fit beside them. */
export const MAX_VIEW_BYTES = 128 * 1024;
/** Rows beyond these are counted, not shown. */
export const MAX_BLOCKS = 400;
/** Of a value that is cut, this part is its beginning; the rest is its end. */
const HEAD_SHARE = 0.75;
/** For the line that says what was left out. */
const NOTE_BYTES = 64;
const MAX_NAME_UNITS = 200;
/** No token that is recognised is longer. */
const MAX_TOKEN_UNITS = 16_384;
/** A character takes at most so many bytes in JSON: `\u0001`. */
const MAX_ESCAPED_BYTES = 6;
/** More than the members of a block take beside its name and value. */
const MAX_FRAME_BYTES = 512;

/** The view itself when it fits. Never throws. */
export function cutView(view: View): View {
  if (surelyFits(view)) return view;
  const shown = view.blocks.length > MAX_BLOCKS ? fewer(view.blocks) : view.blocks;
  const named = shown.map(withShortName);
  const sizes = named.map(sizeOf);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total <= MAX_VIEW_BYTES)
    return named.every((one, at) => one === view.blocks[at]) ? view : { ...view, blocks: named };
  const shares = shareOut(MAX_VIEW_BYTES, sizes);
  const blocks = named.map((one, at) =>
    (shares[at] ?? 0) < (sizes[at] ?? 0) ? cutBlock(one, shares[at] ?? 0) : one,
  );
  return { ...view, blocks };
}

/** Without a look at every character: nearly all views are small. */
function surelyFits({ blocks }: View): boolean {
  if (blocks.length > MAX_BLOCKS) return false;
  let most = 0;
  for (const one of blocks) {
    const name = one.type === 'key_value' ? one.key : one.label;
    if (name.length > MAX_NAME_UNITS) return false;
    most += (name.length + one.value.length) * MAX_ESCAPED_BYTES + MAX_FRAME_BYTES;
  }
  return most <= MAX_VIEW_BYTES;
}

/** Bytes of a block; of one that is too large by itself no more than that it is. */
function sizeOf(one: Block): number {
  return one.value.length > MAX_VIEW_BYTES ? one.value.length : jsonBytes(one);
}

function fewer(blocks: readonly Block[]): Block[] {
  const left = blocks.length - MAX_BLOCKS + 1;
  const note = { ...row('Left out', `${left} more rows`), truncated: true };
  return [...blocks.slice(0, MAX_BLOCKS - 1), note];
}

/** A name is no place for a value. */
function withShortName(one: Block): Block {
  const name = one.type === 'key_value' ? one.key : one.label;
  if (name.length <= MAX_NAME_UNITS) return one;
  const short = `${toWellFormed(name.slice(0, MAX_NAME_UNITS))}…`;
  return one.type === 'key_value'
    ? { ...one, key: short, truncated: true }
    : { ...one, label: short, truncated: true };
}

function cutBlock(one: Block, maxBytes: number): Block {
  const room = Math.max(0, maxBytes - jsonBytes({ ...one, value: '' }) - NOTE_BYTES * 2);
  return { ...one, value: endsOf(one, room), truncated: true, value_len: one.value.length };
}

/** Tokens are masked first: half a token looks like none. Beyond the longest token nothing bears on what is kept. */
function endsOf(one: Block, room: number): string {
  const { value } = one;
  const secret = isSecretBlock(one);
  const whole = value.length <= room + MAX_TOKEN_UNITS ? withoutTokens(value, secret) : undefined;
  if (whole !== undefined && jsonBytes(whole) <= room) return whole;
  const head = wholeLines(
    headWithin(
      whole ?? withoutTokens(value.slice(0, room + MAX_TOKEN_UNITS), secret),
      Math.floor(room * HEAD_SHARE),
    ),
  );
  if (secret) return head;
  const tailRoom = Math.max(0, room - jsonBytes(head));
  const tail = wholeLines(
    tailWithin(
      whole?.slice(head.length) ?? withoutTokens(value.slice(-(room + MAX_TOKEN_UNITS)), secret),
      tailRoom,
    ),
    true,
  );
  const left = Math.max(0, value.length - head.length - tail.length);
  return `${head}\n${one.value_type === 'diff' ? '= ' : ''}⋯ ${left} characters left out\n${tail}`;
}

function withoutTokens(text: string, secret: boolean): string {
  return secret ? text : createMasker(findSecrets(text))(text);
}

function headWithin(text: string, maxBytes: number): string {
  let end = Math.min(text.length, maxBytes);
  while (jsonBytes(text.slice(0, end)) > maxBytes) end = Math.floor(shrunk(end));
  return toWellFormed(text.slice(0, end)) === text.slice(0, end)
    ? text.slice(0, end)
    : text.slice(0, end - 1);
}

function tailWithin(text: string, maxBytes: number): string {
  let length = Math.min(text.length, maxBytes);
  while (length > 0 && jsonBytes(text.slice(-length)) > maxBytes) length = Math.floor(shrunk(length));
  const tail = length === 0 ? '' : text.slice(-length);
  return toWellFormed(tail) === tail ? tail : tail.slice(1);
}

function shrunk(length: number): number {
  return length > MAX_ESCAPED_BYTES ? length * 0.9 : length - 1;
}

/** Without the broken line at the cut, unless there is no other. */
function wholeLines(text: string, fromEnd = false): string {
  const at = fromEnd ? text.indexOf('\n') : text.lastIndexOf('\n');
  if (at === -1) return text;
  return fromEnd ? text.slice(at + 1) : text.slice(0, at);
}

function jsonBytes(value: unknown): number {
  return utf8(JSON.stringify(value)).length;
}
