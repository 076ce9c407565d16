/**
 * Tools of document databases, under the names of MongoDB's own MCP server and its likes: what is asked of which
 * collection, and whether a filter keeps anything out.
 */
import { jsonText } from '@countersign/protocol/blocks';
import { type DescribeContext, type DescriberEntry, end, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { ownName } from '../../names.js';
import type { Given } from '../given.js';
import { inLine, jsonRow, objectIn } from '../structured.js';
import { count, entries, high, low, normal, type Reason, shown, type Told } from '../told.js';

const OPERATIONS = [
  ...listOf('find find_one find_documents query aggregate count count_documents explain export distinct'),
  ...listOf('insert insert_one insert_many insert_document insert_documents'),
  ...listOf('update update_one update_many update_document update_documents replace_one'),
  ...listOf('delete delete_one delete_many delete_document delete_documents remove'),
  ...listOf('drop_collection drop_database drop_index create_collection create_index rename_collection'),
  ...listOf('collection_schema collection_indexes collection_storage_size list_collections db_stats'),
];
const COLLECTION = listOf('collection collection_name coll');
const DATABASE = listOf('database database_name db db_name');
const FILTER = listOf('filter query selector where criteria');
const MONGO = /mongo|atlas|documentdb|cosmos/i;
/** Operators that run code of the caller inside the database. */
const RUNS_CODE = /"\$(?:where|function|accumulator)":/;
/** Stages that write what they find. */
const WRITES_OUT = /"\$(?:out|merge)":/;
const MAX_SEARCHED_UNITS = 100_000;

interface Call {
  readonly name: string;
  readonly place: string;
  readonly filter: unknown;
  /** Nothing is kept out. */
  readonly every: boolean;
}

function toldMongo(given: Given, { toolName }: DescribeContext): Told | undefined {
  const collection = given.text(...COLLECTION);
  const database = given.text(...DATABASE);
  if (collection === undefined && (database === undefined || !MONGO.test(toolName.slice(0, 200))))
    return undefined;
  const filter = given.any(...FILTER);
  const place = [database, collection].filter((one) => one !== undefined).join('.');
  const call = {
    name: ownName(toolName).replace(/^mongo(?:db)?/, ''),
    ...{ place, filter, every: keepsNothingOut(filter) },
  };
  const deed = deedOf(given, call);
  const looks = deed.reason.level === 'low';
  const code = RUNS_CODE.test(searched(given.args));
  return {
    summary: deed.summary,
    blocks: [
      ...shown('Collection', collection),
      ...shown('Database', database),
      ...jsonRow('Filter', filter),
      ...jsonRow('Change', given.any('update', 'updates', 'replacement')),
      ...jsonRow('Documents', given.any('documents', 'document')),
      ...jsonRow('Pipeline', given.any('pipeline')),
      ...jsonRow('Keys', given.any('keys', 'definition')),
      ...shown('New name', given.text('new_name', 'to', 'target')),
    ],
    reasons: code
      ? [high('runs JavaScript inside the database'), ...(looks ? [] : [deed.reason])]
      : [deed.reason],
    least: looks && !code ? 'low' : 'normal',
  };
}

interface Deed {
  readonly summary: readonly SummaryPart[];
  readonly reason: Reason;
}

function deedOf(given: Given, call: Call): Deed {
  const { name, place } = call;
  if (name.startsWith('drop')) return dropped(given, call);
  if (/^(?:delete|remove)/.test(name)) return filtered(call, 'Delete', []);
  if (/^(?:update|replace)/.test(name)) return updated(given, call);
  if (name.startsWith('insert')) return inserted(given, place);
  if (name.startsWith('rename')) return renamed(given, place);
  if (name.startsWith('create')) {
    const what = name.slice('create'.length) || 'collection';
    const keys = given.any('keys', 'definition');
    return {
      summary: [
        `Create ${what === 'index' ? 'index on' : what} `,
        end(place),
        ...(keys === undefined ? [] : [': ', end(inLine(keys))]),
      ],
      reason: normal(what === 'index' ? `changes the indexes of ${place}` : `creates ${place}`),
    };
  }
  const pipeline = given.any('pipeline');
  if (WRITES_OUT.test(searched(pipeline)))
    return {
      summary: ['Aggregate ', end(place), ' and write the result: ', end(inLine(pipeline))],
      reason: high('writes what it finds into a collection'),
    };
  return looked(call, pipeline);
}

function looked({ name, place, filter }: Call, pipeline: unknown): Deed {
  const verb = name.startsWith('count') ? 'Count in ' : name.startsWith('find') ? 'Find in ' : 'Look into ';
  const by = filter ?? pipeline;
  return {
    summary: [verb, end(place), ...(by === undefined ? [] : [': ', end(inLine(by))])],
    reason: low('only looks'),
  };
}

function dropped(given: Given, { name, place }: Call): Deed {
  const what = name.slice('drop'.length) || 'collection';
  const index = given.text('index_name', 'name', 'index');
  if (what === 'index')
    return {
      summary: ['Drop index ', ...(index === undefined ? [] : [end(index), ' ']), 'of ', end(place)],
      reason: normal(`drops an index of ${place}`),
    };
  return { summary: [`Drop ${what} `, end(place)], reason: high(`drops ${what} ${place} with all its data`) };
}

/** `verb` documents that a filter finds; all of them are named as such. */
function filtered({ name, place, filter, every }: Call, verb: string, then: readonly SummaryPart[]): Deed {
  const clause = `${verb.toLowerCase()}s`;
  const one = /one|document$/.test(name);
  if (every && !one)
    return {
      summary: [`${verb} EVERY document of `, end(place), ...then],
      reason: high(`${clause} every document of ${place}`),
    };
  return {
    summary: [
      `${verb} ${one ? 'one' : 'documents'} of `,
      end(place),
      ...(every ? [', whichever comes first'] : [' where ', end(inLine(filter))]),
      ...then,
    ],
    reason: normal(`${clause} ${one ? 'a document' : 'documents'} of ${place}`),
  };
}

function updated(given: Given, call: Call): Deed {
  const change = given.any('update', 'updates', 'replacement');
  const single = given.truth('multi') === false;
  const name = single ? 'updateone' : call.name;
  const adds = given.flag('upsert') ? [' (or add one)'] : [];
  return filtered({ ...call, name }, 'Update', [
    ...adds,
    ...(change === undefined ? [] : [': ', end(inLine(change))]),
  ]);
}

function inserted(given: Given, place: string): Deed {
  const documents = given.any('documents', 'document');
  const many = Array.isArray(documents) ? documents.length : 1;
  return {
    summary: [
      `Insert ${count(many, 'document')} into `,
      end(place),
      ...(documents === undefined ? [] : [': ', end(inLine(many === 1 ? first(documents) : documents))]),
    ],
    reason: normal(`adds to ${place}`),
  };
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

function renamed(given: Given, place: string): Deed {
  const to = given.text('new_name', 'to', 'target');
  const drops = given.flag('drop_target');
  return {
    summary: [
      'Rename ',
      end(place),
      ...(to === undefined ? [] : [' to ', end(to)]),
      ...(drops ? [', dropping what is there'] : []),
    ],
    reason: drops
      ? high(`drops ${to ?? 'a collection'} if it is there`)
      : normal(`whoever uses ${place} no longer finds it`),
  };
}

/** No filter, an empty one, or one that every document passes. */
function keepsNothingOut(filter: unknown): boolean {
  const object = objectIn(filter);
  if (filter === undefined || filter === null || filter === '') return true;
  return object !== undefined && /^\{(?:"_id":\{"\$(?:exists":true|ne":null)\})?\}$/.test(searched(object));
}

function searched(value: unknown): string {
  return (jsonText(value ?? null) ?? '').slice(0, MAX_SEARCHED_UNITS);
}

export const mongoTools: readonly DescriberEntry[] = entries(
  OPERATIONS.flatMap((one) => [one, `mongo_${one}`, `mongodb_${one}`]),
  toldMongo,
);
