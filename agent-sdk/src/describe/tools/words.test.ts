import { type Block, rowName } from '@countersign/protocol/blocks';
import { describe, expect, it } from 'vitest';
import { createRegistry } from '../registry.js';
import { fromJsonSchema } from './schema/index.js';

const registry = createRegistry();

function summary(tool: string, args: unknown): string {
  return registry.describe(tool, args);
}

function risk(tool: string, args: unknown): string {
  const { level, reasons } = registry.risk(tool, args);
  return `${level}: ${reasons.join('; ')}`;
}

function row(tool: string, args: unknown, name: string): Block | undefined {
  return registry.describeView(tool, args).blocks.find((block) => rowName(block) === name);
}

describe('summaries of calls', () => {
  it.each<[string, unknown, string]>([
    ['fetch', { url: 'https://example.org/a?b=c' }, 'Fetch example.org/a?b=c'],
    ['WebFetch', { url: 'https://аpple.com/id', prompt: 'read' }, 'Fetch xn--pple-43d.com/id: read'],
    ['requests_delete', { url: 'https://a.example/1' }, 'DELETE a.example/1'],
    [
      'requests_post',
      { __arg1: '{"url":"https://a.example/","data":{"x":1}}' },
      'POST to a.example (12 characters of JSON)',
    ],
    ['send_email', { to: 'Boss <a@b.example>', subject: 'Hi', body: 'x' }, 'Send email to a@b.example: Hi'],
    ['send_email', { to: 'bob@gооgle.com', subject: 'Hi' }, 'Send email to bob@xn--ggle-55da.com: Hi'],
    ['delete-event', { calendarId: 'primary', eventId: 'e1' }, 'Delete event e1'],
    ['execute_sql', { query: 'DELETE FROM users' }, 'DELETE from users without WHERE: DELETE FROM users'],
    [
      'git_push',
      { remote: 'origin', branch: 'main', force: true },
      'Force-push origin main: git push --force origin main',
    ],
    ['pip_install', { packages: ['numpy'] }, 'Install numpy with pip'],
    ['browser_type', { element: 'Password', ref: 'e1', text: 'hunter22' }, 'Type a secret into Password'],
    ['send_payment', { recipient: 'Bo', amount: 20, currency: 'EUR' }, 'Send 20 EUR to Bo'],
    ['slack_post_message', { channel_id: 'C1', text: 'hello' }, 'Send Slack message to C1: hello'],
    [
      'mcp__github__delete_file',
      { owner: 'a', repo: 'b', path: 'x', branch: 'dev' },
      'Delete x in a/b on dev',
    ],
    [
      'mcp__paypal__create_order',
      { currencyCode: 'EUR', items: [{ name: 'Cup', quantity: 2, itemCost: 9.5 }] },
      'Create order: 2 × Cup, 9.5 EUR each',
    ],
    [
      'create_order',
      { intent: 'CAPTURE', purchase_units: [{ amount: { currency_code: 'EUR', value: '19.00' } }] },
      'Create order: 19.00 EUR',
    ],
    ['call_service', { domain: 'lock', service: 'unlock', entity_id: 'lock.door' }, 'Unlock lock.door'],
    ['call_service', { service: 'light.turn_on', target: { area_id: 'kitchen' } }, 'Turn on kitchen'],
    ['HassSetPosition', { name: 'Garage door', position: 100 }, 'Set position Garage door to 100'],
    ['puppeteer_fill', { selector: '#card', value: '4111111111111111' }, 'Type a secret into #card'],
    ['puppeteer_fill', { selector: '#card', value: '4111 1111 1111 1112' }, 'Type a secret into #card'],
    [
      'upload_file',
      { file_path: 'taxes.pdf', destination: 'https://f.example/u' },
      'Upload taxes.pdf to https://f.example/u',
    ],
    ['write_stdin', { session_id: 3, chars: 'y\n' }, 'Type into a running program: y'],
    [
      'NotebookEdit',
      { notebook_path: 'a.ipynb', new_source: '', edit_mode: 'delete' },
      'Delete a cell of a.ipynb',
    ],
    ['mcp__memory__delete_entities', { entityNames: ['Ann'] }, 'Forget Ann'],
    [
      'graphql_query',
      { query: 'mutation { deleteX(id: 1) { ok } }' },
      'GraphQL change deleteX: mutation { deleteX(id: 1) { ok } }',
    ],
  ])('of %s begin with what matters', (tool, args, expected) => {
    expect(summary(tool, args)).toBe(expected);
  });
});

describe('estimates', () => {
  it.each<[string, unknown, string]>([
    ['http_request', { url: 'http://169.254.169.254/x' }, 'high: 169.254.169.254 gives out'],
    ['http_request', { url: 'https://bank.example%2f@evil.example/' }, 'high: bank.example%2f before the @'],
    ['http_request', { url: 'https://0x7f.1/' }, 'high: the host is written 0x7f.1 and means 127.0.0.1'],
    [
      'send_email',
      { to: '"ceo@a.example" <x@b.example>', subject: 's' },
      'high: named ceo@a.example but goes to x@b.example',
    ],
    [
      'send_email',
      { to: 'a@b.example', recipient: 'c@d.example', subject: 's' },
      'high: to and recipient disagree',
    ],
    ['execute_sql', { query: 'SELECT 1' }, 'low: only looks'],
    ['execute_sql', { query: 'UPDATE t SET a=1 WHERE 1=1' }, 'high: UPDATE t where always true'],
    [
      'execute_sql',
      { query: 'WITH g AS (DELETE FROM t RETURNING *) SELECT 1' },
      'high: DELETE from t without WHERE',
    ],
    ['execute_sql', { query: 'SELECT 1 /*! ; DROP TABLE t */' }, 'high: DROP TABLE t'],
    ['git_add', { files: ['.env'] }, 'high: puts .env'],
    ['pip_install', { package: 'git+https://x.example/y' }, 'high: code from an address'],
    ['mcp__hr__terminate_employee', { id: 1 }, 'high: its name says terminate'],
    ['list_charges', { limit: 1 }, 'low: its name says list'],
  ])('of %s %j say why', (tool, args, expected) => {
    expect(risk(tool, args)).toContain(expected);
  });

  it('do not call an ordinary mobile number a costly one', () => {
    expect(risk('send_sms', { to: '+4915112345678', body: 'x' })).toMatch(/^normal/);
    expect(risk('send_sms', { to: '+19005551234', body: 'x' })).toMatch(/^high/);
  });
});

describe('views', () => {
  it('mask what lets somebody in and lay bodies out by their type', () => {
    const args = { url: 'https://a.example', headers: { Authorization: 'Bearer abc' }, body: { a: 1 } };
    expect(row('http_request', args, 'Header Authorization')?.value_type).toBe('secret');
    expect(row('http_request', args, 'Body')?.value_type).toBe('json');
  });

  it('keep the statuses of a plan and the raw amount of a payment in sight', () => {
    const plan = registry.describeView('update_plan', { plan: [{ step: 'a', status: 'in_progress' }] });
    expect(JSON.stringify(plan.blocks)).toContain('in_progress');
    const paid = registry.describeView('send_payment', { to: 'x', amount: 2500 });
    expect(JSON.stringify(paid.blocks)).toContain('2500');
  });
});

describe('a tool with a schema', () => {
  const tool = {
    name: 'set_level',
    inputSchema: {
      properties: {
        level: { enum: [1, 2], title: 'Level' },
        when: { type: 'string', format: 'date-time' },
        key: { $ref: '#/$defs/key' },
      },
      required: ['level'],
      $defs: { key: { type: 'string', format: 'password' } },
    },
  };

  it('has its rows in the schema’s order, secrets masked, choices checked', () => {
    const own = createRegistry();
    own.add(tool.name, fromJsonSchema(tool));
    const { blocks } = own.describeView(tool.name, { key: 'abc', when: 'soon', level: 3 });
    expect(blocks.map(rowName)).toEqual(['Tool', 'level', 'when', 'key', 'Watch out']);
    expect(blocks.find((one) => rowName(one) === 'key')?.value_type).toBe('secret');
  });

  it('is not made harmless by what its server says', () => {
    const own = createRegistry();
    own.add('delete_all', fromJsonSchema({ name: 'delete_all', annotations: { readOnlyHint: true } }));
    expect(own.risk('delete_all', {}).level).toBe('high');
  });

  it('may say more of itself beside the call, and shows it without a schema too', () => {
    const context = {
      title: 'Sync it',
      description: 'Sends all notes.',
      annotations: { openWorldHint: true },
    };
    const { view, risk } = registry.describeCall('mcp__notes__sync_vault', { arguments: { a: 1 } }, context);
    expect(view.blocks.map(rowName)).toEqual([
      'Tool',
      'Server',
      'The server calls it',
      'a',
      'The server says',
    ]);
    expect(risk.reasons).toContain('the server says it reaches beyond itself');
    const titled = registry.describeView('x', { a: 1 }, { annotations: { title: 'Only here' } });
    expect(titled.blocks.map(({ value }) => value)).toContain('Only here');
  });

  it('may come with nonsense instead of a schema', () => {
    const own = createRegistry();
    own.add(
      'x',
      fromJsonSchema({
        name: 'x',
        inputSchema: { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/a' } } },
        annotations: 7,
      }),
    );
    expect(own.describe('x', { a: 1 })).toBe('X: 1');
  });
});
