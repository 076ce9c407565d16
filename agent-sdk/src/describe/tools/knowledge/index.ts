/** Tools that remember and look up: knowledge graphs, notes, stores of vectors. What is remembered steers the agent later. */

import { jsonText } from '@countersign/protocol/blocks';
import { type DescriberEntry, end } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { block } from '../../rows.js';
import { asObject, type Given } from '../given.js';
import {
  entries,
  firstOf,
  hiddenReasons,
  high,
  listed,
  normal,
  type Reason,
  shown,
  type Told,
  watchOut,
} from '../told.js';

const STEERS: Reason = normal('the agent goes by it later');

/** `{entities: [{name, entityType, observations}]}` and its likes, one line each. */
function toldCreate(given: Given): Told | undefined {
  const entities = given.list('entities');
  const relations = given.list('relations');
  const observations = given.list('observations');
  const lines = [
    ...(entities ?? []).map(entityLine),
    ...(relations ?? []).map(relationLine),
    ...(observations ?? []).map(observationLine),
  ];
  if (lines.length === 0) return undefined;
  const what = entities !== undefined ? 'thing' : relations !== undefined ? 'relation' : 'observation';
  return {
    summary: [
      `Remember ${lines.length === 1 ? 'a' : lines.length} ${what}${lines.length === 1 ? '' : 's'}: `.replace(
        'a observation',
        'an observation',
      ),
      ...firstOf(lines),
    ],
    blocks: [...listed('Remembers', lines), ...watchOut(lines.slice(0, 50))],
    reasons: [STEERS, ...hiddenReasons(lines.slice(0, 50))],
  };
}

/** Objects with more members than these lines tell are shown as JSON. */
function entityLine(one: unknown): string {
  const [name, kind, facts] = membersOf(one, ['name', 'entityType', 'observations']) ?? [];
  if (typeof name !== 'string' || typeof kind !== 'string' || !isTexts(facts)) return jsonText(one);
  return `${name} (${kind})${facts.length === 0 ? '' : `: ${facts.join('; ')}`}`;
}

function relationLine(one: unknown): string {
  const [from, kind, to] = membersOf(one, ['from', 'relationType', 'to']) ?? [];
  if (typeof from !== 'string' || typeof kind !== 'string' || typeof to !== 'string') return jsonText(one);
  return `${from} → ${kind} → ${to}`;
}

function observationLine(one: unknown): string {
  const [name, facts] =
    membersOf(one, ['entityName', 'contents']) ?? membersOf(one, ['entityName', 'observations']) ?? [];
  return typeof name === 'string' && isTexts(facts) ? `${name}: ${facts.join('; ')}` : jsonText(one);
}

function membersOf(one: unknown, names: readonly string[]): unknown[] | undefined {
  const object = asObject(one);
  const known =
    object !== undefined &&
    Object.keys(object).length === names.length &&
    names.every((name) => Object.hasOwn(object, name));
  return known ? names.map((name) => object[name]) : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function toldForget(given: Given): Told | undefined {
  const names = given.words(
    'entityNames',
    'entity_names',
    'names',
    'memory_id',
    'memory_ids',
    'ids',
    'id',
    'ids_to_delete',
  );
  const list = given.list('deletions', 'relations');
  const lines = [
    ...names,
    ...(list ?? []).map((one) =>
      asObject(one)?.relationType === undefined ? observationLine(one) : relationLine(one),
    ),
  ];
  const all = lines.length === 0 && Object.keys(given.args).every((name) => /user|agent|run/.test(name));
  if (lines.length === 0 && !all) return undefined;
  return {
    summary: all ? ['Forget everything'] : ['Forget ', ...firstOf(lines)],
    blocks: listed('Forgets', lines),
    reasons: [all ? high('forgets everything') : normal('cannot be taken back')],
  };
}

/** A fact in plain words (Gemini CLI, mem0, ChatGPT's bio). */
function toldFact(given: Given): Told | undefined {
  const text = given.text(
    'fact',
    'memory',
    'text',
    'content',
    'insight',
    'note',
    'observation',
    'thought',
    'update',
    'knowledge_to_store',
    'data',
    'information',
  );
  const messages = text === undefined ? given.list('messages') : undefined;
  if (text === undefined && messages === undefined) return undefined;
  const json = messages === undefined ? undefined : jsonText(messages, true);
  return {
    summary: ['Remember: ', end(text ?? jsonText(messages))],
    blocks: [
      ...shown('Remembers', text, 'text'),
      ...(json === undefined ? [] : [block('Remembers', json, 'json')]),
      ...watchOut([text]),
    ],
    reasons: [STEERS, ...hiddenReasons([text])],
  };
}

function toldLook(given: Given): Told | undefined {
  const words = given.words(
    'query',
    'names',
    'search_query',
    'question',
    'queries',
    'library_name',
    'libraryName',
    'q',
    'query_texts',
    'context7_compatible_library_id',
    'libraryId',
  );
  const topic = given.text('topic');
  if (words.length === 0 && Object.keys(given.args).length > 0) return undefined;
  return {
    summary: words.length === 0 ? ['Read everything remembered'] : ['Look up ', ...firstOf(words)],
    blocks: [...listed('Words', words), ...shown('Topic', topic)],
    least: 'low',
  };
}

export const knowledgeTools: readonly DescriberEntry[] = [
  ...entries(
    ['create_entities', 'create_relations', 'add_observations', 'memory_create_entities', 'update_entities'],
    toldCreate,
  ),
  ...entries(
    [
      'delete_entities',
      'delete_relations',
      'delete_observations',
      'delete_memory',
      'delete_all_memories',
      'forget',
      'remove_memory',
      'delete_memories',
    ],
    toldForget,
  ),
  ...entries(
    [
      ...listOf('save_memory add_memory add_memories create_memory store_memory remember append_insight'),
      ...listOf('update_memory bio write_memory add_note store_knowledge memory_store save_to_memory'),
    ],
    toldFact,
  ),
  ...entries(
    [
      ...listOf('read_graph search_nodes open_nodes search_memory search_memories list_memories'),
      ...listOf('get_memories retrieve_memory recall read_memory resolve_library_id get_library_docs'),
      ...listOf('query_docs search_docs knowledge_search vector_search semantic_search'),
      ...listOf('query_knowledge_base similarity_search'),
    ],
    toldLook,
  ),
];
