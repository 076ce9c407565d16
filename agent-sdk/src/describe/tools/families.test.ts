import {
  collectSecrets,
  linearise,
  renderPlain,
  toWellFormed,
  viewSchema,
} from '@countersign/protocol/blocks';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInDescribers } from '../built-in.js';
import { listOf } from '../list-of.js';
import { createRegistry } from '../registry.js';
import { agentTools } from './agents/index.js';
import { browserTools } from './browser/index.js';
import { calendarTools } from './calendar/index.js';
import { emailTools } from './email/index.js';
import { gitTools } from './git/index.js';
import { githubTools } from './github/index.js';
import { homeTools } from './home.js';
import { httpTools } from './http/index.js';
import { knowledgeTools } from './knowledge/index.js';
import { kubernetesTools } from './kubernetes/index.js';
import { messageTools } from './messages/index.js';
import { mongoTools } from './mongo/index.js';
import { packageTools } from './packages/index.js';
import { paymentTools } from './payments/index.js';
import { redisTools } from './redis/index.js';
import { sqlTools } from './sql/index.js';
import { trackerTools } from './trackers.js';
import { travelTools } from './travel/index.js';

/** Every name a built-in describer is found under; patterns aside. */
const OWN_ENTRIES = [
  ...[
    ...agentTools,
    ...browserTools,
    ...calendarTools,
    ...emailTools,
    ...gitTools,
    ...githubTools,
    ...httpTools,
  ],
  ...[...knowledgeTools, ...messageTools, ...packageTools, ...paymentTools, ...sqlTools, ...trackerTools],
  ...[...kubernetesTools, ...mongoTools, ...redisTools, ...travelTools, ...homeTools],
];
const NAMES = [...new Set(builtInDescribers().flatMap(([name]) => (typeof name === 'string' ? [name] : [])))];
/** The describers that are told by {@link entries}, each under one of its names. */
const OWN = [...new Map(OWN_ENTRIES.map(([name, describer]) => [describer, String(name)]))];
const MAX_WORK_MS = 50;

/** Argument names that belong together. */
const GROUPS: readonly (readonly string[])[] = [
  listOf('url uri method headers body data json params query path host base_url content_type'),
  listOf('url urls prompt q query path destination allowed_domains input instruction form verify'),
  listOf('to cc bcc from subject message text html body attachments thread_id message_id ids'),
  listOf('labels add_labels ids query criteria action forward message_id to draft_id files from'),
  listOf('summary title start end start_time end_time timezone attendees location description'),
  [
    ...listOf('event_id eventIds calendarId recurrence start summary sendUpdates response comment'),
    ...listOf('time_min'),
  ],
  listOf('sql query statements values params table schema dialect database project_id table_names'),
  listOf('branch remote force mode commit files path tag_name message url name new_branch ref'),
  listOf('packages package version manager global args dev cwd registry requirements name flags'),
  listOf('element selector ref index x y coordinate text value submit url button uid key'),
  listOf('action keys fields paths function script code language accept start_element end_element'),
  listOf('amount currency recipient iban customer price invoice payment_intent from memo to value'),
  listOf('symbol side qty order_id limit_price type to_token amount name description subscription'),
  listOf('channel channel_id chat_id content payload blocks thread_ts text server media_path to'),
  listOf('reaction timestamp message_ids channel query title text subreddit in_reply_to media'),
  listOf('owner repo name pullNumber issue_number state labels sha private visibility inputs title'),
  listOf('owner repo path content message branch files head base body event method comments ref'),
  listOf('entities relations observations entityNames deletions fact query messages topic names'),
  listOf('todos plan thought task questions question shell_id server uri prompt description mode'),
  listOf('database collection filter update documents pipeline keys newName query multi dropTarget'),
  listOf('key name value field path values new_key expiration command commands pattern member'),
  listOf('resourceType name namespace manifest labelSelector replicas command flags args operation'),
  listOf('from to date time check_in check_out passengers price payment_methods booking_id hotel flights'),
  listOf('domain service entity_id target data name area floor position temperature items purchase_units'),
  listOf('command cwd id status assignee project properties reason title text public filename'),
];
const KEYS = [...new Set(GROUPS.flat())];
const HOSTILE_TEXTS = [
  ...[
    '',
    ' ',
    '\u202Eabc',
    'a\u200Bb',
    '\uD800',
    '__proto__',
    'https://user@evil.example@x/',
    'http://[::1]:99999/',
    'SELECT 1; DROP TABLE x',
  ],
  ...[
    "'\\''; DROP TABLE x; --",
    'a@b.example, "c, d" <e@f.example>',
    '2026-02-30T25:61:00Z',
    '-1e400',
    'x'.repeat(5_000),
    '<'.repeat(3_000),
  ],
  ...[
    'https://xn--/',
    'https://a b.example/',
    `${'a'.repeat(300)}@${'b'.repeat(300)}`,
    '$$'.repeat(500),
    '/*'.repeat(500),
    '--force',
  ],
];

const text = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: 'grapheme-composite', maxLength: 40 }),
  fc.string({ maxLength: 20 }),
);
const leaf = fc.oneof(
  text,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.dictionary(fc.constantFrom(...KEYS), leaf, { maxKeys: 4 }), { maxLength: 3 }),
  },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom(...KEYS, '__proto__', 'dateTime', 'email'), leaf, {
      maxKeys: 4,
    }),
  },
);
const anyArguments = fc
  .tuple(fc.constantFrom(...GROUPS), fc.constantFrom(...KEYS))
  .chain(([group, other]) => fc.dictionary(fc.constantFrom(...group, other), value, { maxKeys: 8 }));

/** Texts and numbers anywhere in the arguments, those that say something. */
function leavesOf(given: unknown): string[] {
  if (typeof given === 'string') return given.trim() === '' ? [] : [given];
  if (typeof given === 'number') return [String(given)];
  if (typeof given !== 'object' || given === null) return [];
  return Object.values(given).flatMap(leavesOf);
}

/** As a reader may find it: JSON and shells write quotes and blanks their own way, amounts get commas. */
function squeezed(shown: string): string {
  const unescaped = shown.replace(/\\u([0-9a-f]{4})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return toWellFormed(unescaped).replace(/[\s\\'",]/g, '');
}

describe('the built-in describers', () => {
  const fallbacks: string[] = [];
  const registry = createRegistry({ onFallback: (name, reason) => fallbacks.push(`${name} ${reason}`) });

  it('have words, never an error, for whatever arguments, and keep none of them back', () => {
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), anyArguments, (name, given) => {
        const { view, risk } = registry.describeCall(name, { arguments: given });
        expect(fallbacks).toEqual([]);
        expect(viewSchema.safeParse(view).success).toBe(true);
        expect(['low', 'normal', 'high']).toContain(risk.level);
        if (view.blocks.some(({ truncated }) => truncated)) return;
        const whole = squeezed(
          view.blocks.map((block) => block.value + ('key' in block ? block.key : block.label)).join('\n'),
        );
        for (const one of leavesOf(given)) expect(whole).toContain(squeezed(one));
      }),
      { numRuns: 3_000 },
    );
  });

  it('put no secret into a summary', () => {
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), anyArguments, fc.constantFrom(...KEYS), (name, given, key) => {
        const { view } = registry.describeCall(name, {
          arguments: { ...given, [key]: `say ${token}`, password: 'hunter2xyz' },
        });
        expect(view.summary).not.toContain(token);
        expect(view.summary).not.toContain('hunter2xyz');
        expect(renderPlain(linearise(view))).not.toContain(token);
        expect(collectSecrets(view)).toContain('hunter2xyz');
      }),
      { numRuns: 1_000 },
    );
  });

  it('take hostile texts of a megabyte in all within 50 ms of work', () => {
    const units = listOf('x < " \' ( /* a@ { %41 ж -- ; @ . \\ [a \uD800 \u200B https://a/');
    const texts = [...units, '\n', '\t', ', ', '$a$', ' as (', 'delete from x '].map((unit) =>
      unit.repeat(Math.ceil(25_000 / unit.length)),
    );
    const many = Array.from({ length: 2_000 }, (_, at) => `item ${at}`);
    const slow = OWN.flatMap(([describer, name]) =>
      [...texts, many].flatMap((huge) => {
        const given = Object.fromEntries(KEYS.slice(0, 40).map((key) => [key, huge]));
        const took = leastWork(() => {
          const context = { toolName: name, files: new Map() };
          if (describer.accepts?.(given, context) === false) return;
          describer.summary(given, context);
          describer.risk?.(given, context);
        });
        return took > MAX_WORK_MS ? [`${name} ${String(huge).slice(0, 12)} ${took.toFixed(0)} ms`] : [];
      }),
    );
    expect(slow).toEqual([]);
  }, 120_000);
});

/** Of several runs, work of this process alone: other programs do not count. */
function leastWork(run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 12 && least > MAX_WORK_MS / 2; times++) {
    const before = process.cpuUsage().user;
    run();
    least = Math.min(least, (process.cpuUsage().user - before) / 1_000);
  }
  return least;
}
