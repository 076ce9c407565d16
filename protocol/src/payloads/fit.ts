/**
 * Makes a snapshot fit its way (03 §2, Sizes): cuts the largest items first and says which went out whole. Pure.
 * Must not know devices, sealing or why a size is what it is.
 */
import { SEAL } from '../frames/index.js';
import { isJsonObject, type JsonObject, jsonBytes } from './members.js';
import type { InboxUpdate } from './payload.js';

/** Most bytes of JSON in a live payload: its plaintext without the two bytes of framing. */
export const MAX_LIVE_JSON_BYTES = SEAL.maxLivePlaintextBytes - SEAL.headerBytes;
/** Most bytes of JSON in a queued payload. */
export const MAX_QUEUED_JSON_BYTES = SEAL.maxQueuedPlaintextBytes - SEAL.headerBytes;

/** What a device that does not know `truncated` reads first in `detail`. */
export const CUT_NOTE = 'Parts of this request did not fit and are missing. It can only be rejected here.';

export interface FitOptions {
  /** This item stays whole if it fits at all, whatever the others lose. */
  wholeId?: string | undefined;
  /** False: the device did not name the feature `truncated`; `detail` says it. Default true. */
  namesTruncated?: boolean | undefined;
}

export interface FittedSnapshot {
  update: InboxUpdate;
  /** The request ids of the items that are in it whole; only these can be approved from it. */
  whole: Set<string>;
}

/** Cut whole, in this order: what explains the call least first. */
const ARGUMENTS = ['arguments', 'arguments_text'];
const REST = ['input_schema', 'requested_schema', 'rules', 'detail', 'context', 'suggested_answers'];

interface Piece {
  list: 'approvals' | 'clarifications' | 'elicitations';
  entry: JsonObject;
  bytes: number;
  cut: boolean;
}

/**
 * The snapshot within `maxBytes` of JSON. First the largest items lose their arguments, then their blocks from the
 * end, then other long members; each is marked `truncated`. What still does not fit leaves the largest items out:
 * `badge` still counts them. The update given is not changed.
 */
export function fitSnapshot(update: InboxUpdate, maxBytes: number, options: FitOptions = {}): FittedSnapshot {
  const fitting = new Fitting(update, maxBytes, options);
  fitting.cutAll((piece) => piece.entry.request_id !== options.wholeId);
  fitting.cutAll(() => true);
  fitting.leaveOut();
  return fitting.result();
}

class Fitting {
  readonly #update: InboxUpdate;
  readonly #maxBytes: number;
  readonly #options: FitOptions;
  #pieces: Piece[];
  #bytes: number;

  constructor(update: InboxUpdate, maxBytes: number, options: FitOptions) {
    this.#update = update;
    this.#maxBytes = maxBytes;
    this.#options = options;
    this.#pieces = (['approvals', 'clarifications', 'elicitations'] as const).flatMap((list) =>
      update[list].map((entry) => ({ list, entry, bytes: jsonBytes(entry), cut: false })),
    );
    this.#bytes = jsonBytes(update);
  }

  get #fits(): boolean {
    return this.#bytes <= this.#maxBytes;
  }

  /** Largest first, each stage over all items before the next. */
  cutAll(mayCut: (piece: Piece) => boolean): void {
    const stages = [
      (piece: Piece) => this.#drop(piece, ARGUMENTS),
      (piece: Piece) => this.#dropBlocks(piece),
      (piece: Piece) => this.#drop(piece, REST),
    ];
    for (const stage of stages) {
      for (const piece of this.#largestFirst().filter(mayCut)) {
        if (this.#fits) return;
        stage(piece);
      }
    }
  }

  leaveOut(): void {
    const order = this.#largestFirst();
    const last = order.findIndex((piece) => piece.entry.request_id === this.#options.wholeId);
    if (last >= 0) order.push(...order.splice(last, 1));
    for (const piece of order) {
      if (this.#fits) return;
      this.#pieces = this.#pieces.filter((one) => one !== piece);
      // The comma beside it is not counted: a list's only entry has none.
      this.#bytes -= piece.bytes;
    }
  }

  result(): FittedSnapshot {
    const of = (list: Piece['list']) =>
      this.#pieces.filter((piece) => piece.list === list).map((p) => p.entry);
    const lists = {
      approvals: of('approvals'),
      clarifications: of('clarifications'),
      elicitations: of('elicitations'),
    };
    const whole = this.#pieces.filter((piece) => !piece.cut && piece.entry.truncated !== true);
    return {
      update: { ...this.#update, ...lists } as unknown as InboxUpdate,
      whole: new Set(whole.map((piece) => String(piece.entry.request_id))),
    };
  }

  #largestFirst(): Piece[] {
    return [...this.#pieces].sort((a, b) => b.bytes - a.bytes);
  }

  #drop(piece: Piece, names: readonly string[]): void {
    const present = names.filter((name) => piece.entry[name] !== undefined);
    if (present.length === 0) return;
    const rest = Object.entries(piece.entry).filter(([name]) => !present.includes(name));
    this.#replace(piece, Object.fromEntries(rest));
  }

  /** From the end, as many blocks as it takes and no part of one; a view without blocks goes. */
  #dropBlocks(piece: Piece): void {
    const view = piece.entry.blocks;
    if (!isJsonObject(view) || !Array.isArray(view.blocks)) return;
    const blocks: unknown[] = [...view.blocks];
    const { blocks: _cut, ...others } = piece.entry;
    const mark = jsonBytes(this.#marked(others)) - jsonBytes(others);
    const excess = this.#bytes - this.#maxBytes + mark;
    for (let freed = 0; blocks.length > 0 && freed < excess; ) freed += jsonBytes(blocks.pop()) + 1;
    this.#replace(piece, blocks.length === 0 ? others : { ...others, blocks: { ...view, blocks } });
  }

  #replace(piece: Piece, entry: JsonObject): void {
    piece.entry = this.#marked(entry);
    piece.cut = true;
    const bytes = jsonBytes(piece.entry);
    this.#bytes += bytes - piece.bytes;
    piece.bytes = bytes;
  }

  #marked(entry: JsonObject): JsonObject {
    if (entry.truncated === true) return entry;
    if (this.#options.namesTruncated !== false) return { ...entry, truncated: true };
    const detail = entry.detail;
    const noted = typeof detail === 'string' && detail !== '' ? `${CUT_NOTE}\n\n${detail}` : CUT_NOTE;
    return { ...entry, truncated: true, detail: noted };
  }
}
