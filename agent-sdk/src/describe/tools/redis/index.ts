/**
 * Tools of key-value stores that speak Redis: one tool a command, as Redis' own MCP server has them, and tools that take
 * raw commands.
 */
import { jsonText } from '@countersign/protocol/blocks';
import { type DescribeContext, type DescriberEntry, end, middle, type SummaryPart } from '../../describer.js';
import { listOf } from '../../list-of.js';
import { ownName } from '../../names.js';
import { block } from '../../rows.js';
import type { Given } from '../given.js';
import { inLine, jsonRow } from '../structured.js';
import { entries, firstOf, high, listed, low, normal, type Reason, shown, type Told } from '../told.js';

const READS = [
  ...listOf('get mget hget hgetall hexists hmget hkeys lrange llen smembers sismember zrange zscore'),
  ...listOf('xrange xlen json_get type ttl dbsize info client_list scan_keys scan_all_keys keys list exists'),
  ...listOf('get_indexes get_index_info vector_search_hash get_vector_from_hash subscribe'),
];
const WRITES: ReadonlyMap<string, string> = new Map([
  ...(['set', 'hset', 'mset', 'jsonset'] as const).map((name) => [name, 'Set'] as const),
  ...(['lpush', 'rpush', 'sadd', 'zadd', 'xadd'] as const).map((name) => [name, 'Add to'] as const),
  ...(['lpop', 'rpop', 'srem', 'zrem', 'xdel', 'hdel', 'jsondel'] as const).map(
    (name) => [name, 'Remove from'] as const,
  ),
  ...[
    ['expire', 'Let expire'],
    ['publish', 'Publish to'],
    ['rename', 'Rename'],
    ['incr', 'Count up'],
    ['setvectorinhash', 'Set'],
  ].map(([name = '', verb = '']) => [name, verb] as const),
]);
const CLAUSES: ReadonlyMap<string, string> = new Map([
  ['Publish to', 'whoever listens gets it'],
  ['Add to', 'adds to what is there'],
  ['Remove from', 'takes away from what is there'],
  ['Rename', 'whoever uses the old name no longer finds it'],
]);
const NAMES_OF_WRITES = [
  ...listOf('set hset mset json_set lpush rpush sadd zadd xadd lpop rpop srem zrem xdel hdel json_del'),
  ...listOf('expire publish rename incr set_vector_in_hash'),
];
const DELETES = listOf('delete del unlink delete_key delete_keys flushall flushdb flush_all flush_db');
const RAW = [
  ...listOf('redis_command execute_redis_command run_redis_command run_redis_commands redis_execute'),
  ...listOf('redis_cli redis redis_database_run_redis_commands valkey_command execute_command'),
];
const SPEAKS = /redis|valkey|upstash|dragonfly|keydb|memorystore|elasticache/i;
/** Names that nothing else has. */
const UNMISTAKABLE =
  /^(?:h(?:set|get|getall|del|exists)|[lr](?:push|pop)|llen|z(?:add|rem|range)|s(?:add|rem|members)|x(?:add|del|range)|flush(?:all|db))$/;
const FIELDS = listOf('field path member');
const PATTERN = /[*?[]/;

function toldKey(given: Given, { toolName }: DescribeContext): Told | undefined {
  const name = ownName(toolName).replace(/^(?:redis|valkey)/, '');
  if (!SPEAKS.test(toolName.slice(0, 200)) && !UNMISTAKABLE.test(name)) return undefined;
  const { keys, field } = placeIn(given);
  const flushes = name.startsWith('flush');
  if (keys.length === 0 && !flushes && WRITES.has(name)) return undefined;
  const rows = [
    ...listed('Key', keys),
    ...shown('Field', field),
    ...jsonRow('Value', given.any('value', 'values', 'message', 'fields', 'new_key')),
    ...shown('Lives for', seconds(given)),
  ];
  if (flushes)
    return { summary: ['Delete EVERY key (redis)'], blocks: rows, reasons: [high('deletes every key')] };
  const verb = WRITES.get(name);
  if (verb !== undefined) return { ...written(given, verb, { keys, field }), blocks: rows };
  if (/^(?:del|unlink)/.test(name)) return keys.length === 0 ? undefined : { ...deleted(keys), blocks: rows };
  return {
    summary: keys.length === 0 ? ['Look into redis'] : ['Read redis key ', ...firstOf(keys)],
    blocks: [...rows, ...shown('Pattern', given.word('pattern', 'match'))],
    reasons: [low('only looks')],
    least: 'low',
  };
}

interface Place {
  readonly keys: readonly string[];
  readonly field: string | undefined;
}

/** Of Redis' own tools some call the key `name`, and what is inside of it `key`. */
function placeIn(given: Given): Place {
  const names = given.words('name', 'old_key', 'channel');
  const keys = given.words('key', 'keys');
  if (names.length === 0) return { keys, field: given.word(...FIELDS) };
  return { keys: names, field: keys.length === 0 ? given.word(...FIELDS) : keys.join(', ') };
}

function written(given: Given, verb: string, { keys, field }: Place): Pick<Told, 'summary' | 'reasons'> {
  const value = given.any('value', 'values', 'message', 'fields', 'new_key');
  const lives = seconds(given);
  if (verb === 'Let expire')
    return {
      summary: ['Let redis key ', ...firstOf(keys), ' expire', ...part(' in ', lives)],
      reasons: [normal('what the key holds goes away by itself')],
    };
  return {
    summary: [
      `${verb} redis ${verb.startsWith('Publish') ? 'channel' : 'key'} `,
      ...firstOf(keys),
      ...part(' ', field),
      ...(value === undefined
        ? []
        : [verb === 'Set' || verb === 'Rename' ? ' to ' : ': ', end(inLine(value))]),
      ...part(', for ', lives),
    ],
    reasons: [normal(CLAUSES.get(verb) ?? 'what was there is replaced')],
  };
}

function deleted(keys: readonly string[]): Pick<Told, 'summary' | 'reasons'> {
  const pattern = keys.find((key) => PATTERN.test(key));
  return {
    summary: [pattern === undefined ? 'Delete redis key ' : 'Delete redis keys like ', ...firstOf(keys)],
    reasons: [
      pattern === undefined
        ? normal('deletes what the key holds')
        : high(`deletes every key like ${pattern}`),
    ],
  };
}

function seconds(given: Given): string | undefined {
  const word = given.word('expiration', 'expire_seconds', 'expire', 'ttl', 'ex');
  return word === undefined ? undefined : /^\d+$/.test(word) ? `${word} s` : word;
}

function part(words: string, text: string | undefined): SummaryPart[] {
  return text === undefined ? [] : [words, middle(text)];
}

const LOOKS =
  /^(?:GET|MGET|HGET|HMGET|HGETALL|HKEYS|HVALS|HLEN|HEXISTS|LRANGE|LLEN|LINDEX|SMEMBERS|SCARD|SISMEMBER|ZRANGE|ZREVRANGE|ZSCORE|ZCARD|XRANGE|XLEN|JSON\.GET|TYPE|TTL|PTTL|EXISTS|KEYS|SCAN|HSCAN|SSCAN|ZSCAN|DBSIZE|INFO|PING|TIME|STRLEN|GETRANGE|MEMORY|OBJECT|ECHO)$/;
const GRAVE: readonly (readonly [expression: RegExp, clause: string])[] = [
  [/^FLUSH/, 'deletes every key'],
  [/^(?:SHUTDOWN|DEBUG|FAILOVER)$/, 'may stop the server'],
  [/^(?:CONFIG|ACL|MODULE|REPLICAOF|SLAVEOF|CLUSTER)$/, 'changes how the server runs'],
  [/^(?:EVAL|EVALSHA|FCALL|SCRIPT|FUNCTION)$/, 'runs a script inside the server'],
];
const MAX_COMMANDS = 200;

/** Raw commands: one text, words, or a list of either. */
function toldRaw(given: Given, { toolName }: DescribeContext): Told | undefined {
  const value = given.any('command', 'commands', 'cmd', 'query');
  const more = given.words('args', 'arguments');
  const lines = linesOf(value).map((line) => [line, ...more].join(' '));
  const verbs = lines.slice(0, MAX_COMMANDS).map((line) => (/^\s*(\S+)/.exec(line)?.[1] ?? '').toUpperCase());
  if (lines.length === 0 || !SPEAKS.test(toolName.slice(0, 200))) return undefined;
  const reasons = [...new Set(verbs)].flatMap(reasonsOf);
  const first = verbs.findIndex((verb) => reasonsOf(verb).some(({ level }) => level === 'high'));
  const telling = lines[Math.max(0, first)] ?? '';
  return {
    summary: [
      lines.length === 1 ? 'Redis: ' : `Redis, ${lines.length} commands: `,
      end(telling.trim()),
      ...(lines.length > 1 && first > 0 ? [' (and more before it)'] : []),
    ],
    blocks: [block('Commands', lines.join('\n'), 'code', 'redis')],
    reasons: reasons.length === 0 ? [low('only looks')] : reasons,
    least: reasons.length === 0 && lines.length <= MAX_COMMANDS ? 'low' : 'normal',
  };
}

function reasonsOf(verb: string): Reason[] {
  const grave = GRAVE.find(([expression]) => expression.test(verb));
  if (grave !== undefined) return [high(`${grave[1]} (${verb.slice(0, 20)})`)];
  if (/^(?:DEL|UNLINK|HDEL|JSON\.DEL|GETDEL)$/.test(verb)) return [normal('deletes keys')];
  return LOOKS.test(verb) ? [] : [normal(`writes (${verb.slice(0, 20)})`)];
}

function linesOf(value: unknown): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : value.trim().split(/\r?\n/);
  if (!Array.isArray(value) || value.length === 0) return [];
  if (value.every((one) => Array.isArray(one)))
    return value.map((words: unknown[]) => words.map(inLine).join(' '));
  if (!value.every((one) => typeof one === 'string' || typeof one === 'number')) return [jsonText(value)];
  // Words of one command, or a command each.
  return value.some((one) => String(one).trim().includes(' ')) ? value.map(String) : [value.join(' ')];
}

export const redisTools: readonly DescriberEntry[] = [
  ...entries(
    [...READS, ...NAMES_OF_WRITES, ...DELETES].flatMap((one) => [one, `redis_${one}`, `valkey_${one}`]),
    toldKey,
  ),
  ...entries(RAW, toldRaw),
];
