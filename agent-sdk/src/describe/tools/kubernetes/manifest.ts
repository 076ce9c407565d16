/**
 * What a manifest asks a cluster to hold, read line by line as far as a person needs it: kinds, names, images, and what
 * reaches beyond the container. A reading aid: whatever else it says is shown, not read. Must not know tools.
 */
import { jsonText } from '@countersign/protocol/blocks';
import { high, type Reason } from '../told.js';

export interface Manifest {
  /** `Deployment checkout`, in order. */
  readonly things: readonly string[];
  readonly images: readonly string[];
  readonly namespaces: readonly string[];
  readonly reasons: readonly Reason[];
}

const MAX_UNITS = 200_000;
const MAX_THINGS = 50;
/** One line, in YAML or in JSON over several lines. */
const MEMBER = /^(\s{0,200})(?:- )?"?([A-Za-z]{1,40})"?\s{0,8}:\s{0,8}"?([^\s"#,]{0,253})/;
const GRAVE: readonly (readonly [expression: RegExp, clause: string])[] = [
  [/\bprivileged"?\s{0,8}:\s{0,8}true/, 'a container with the rights of its machine'],
  [/\bhostPath"?\s{0,8}:/, 'reaches into files of the machine'],
  [/\bhost(?:Network|PID|IPC)"?\s{0,8}:\s{0,8}true/, 'shares the network or the processes of the machine'],
  [/\bkind"?\s{0,8}:\s{0,8}"?(?:Cluster)?Role(?:Binding)?\b/, 'changes who may do what'],
  [
    /\bkind"?\s{0,8}:\s{0,8}"?(?:Mutating|Validating)WebhookConfiguration\b/,
    'changes what the cluster accepts',
  ],
];

/** Of a text, or of an object as JSON. Never throws. */
export function readManifest(given: unknown): Manifest {
  const text = (typeof given === 'string' ? given : (jsonText(given ?? '', true) ?? '')).slice(0, MAX_UNITS);
  const reader = new Reader();
  for (const line of text.split('\n')) reader.line(line);
  reader.close();
  return {
    things: [...new Set(reader.things)],
    images: [...new Set(reader.images)],
    namespaces: [...new Set(reader.namespaces)],
    reasons: GRAVE.filter(([expression]) => expression.test(text)).map(([, clause]) => high(clause)),
  };
}

/** One document after the other; members of `metadata` only count before anything else is opened. */
class Reader {
  readonly things: string[] = [];
  readonly images: string[] = [];
  readonly namespaces: string[] = [];
  #kind = '';
  #name = '';
  #inMetadata = false;

  line(line: string): void {
    if (/^---/.test(line)) {
      this.close();
      return;
    }
    const [, indent = '', member, value = ''] = MEMBER.exec(line) ?? [];
    if (member === undefined) return;
    if (member === 'kind' && this.#kind === '' && indent.length <= 2) this.#kind = value;
    if (indent.length <= 2 && value === '' && member !== 'metadata') this.#inMetadata = false;
    if (member === 'metadata' && this.#name === '') this.#inMetadata = true;
    if (member === 'name' && this.#inMetadata && this.#name === '') this.#name = value;
    if (member === 'namespace' && this.#inMetadata && value !== '') this.namespaces.push(value);
    if (member === 'image' && value !== '' && this.images.length < MAX_THINGS) this.images.push(value);
  }

  close(): void {
    const thing = [this.#kind, this.#name].filter((word) => word !== '').join(' ');
    if (thing !== '' && this.things.length < MAX_THINGS) this.things.push(thing);
    [this.#kind, this.#name, this.#inMetadata] = ['', '', false];
  }
}
