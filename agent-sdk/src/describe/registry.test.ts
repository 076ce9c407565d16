import { MASK, viewSchema } from '@countersign/protocol/blocks';
import { describe, expect, it } from 'vitest';
import type { Describer, DescriberEntry, RiskEstimate } from './describer.js';
import { genericView } from './generic.js';
import { MAX_READS } from './judge.js';
import { createRegistry, type FallbackReason } from './registry.js';

const blocks = [{ type: 'field' as const, label: 'City', value: 'Rome', value_type: 'string' as const }];
const weather: Describer = { summary: ({ city }) => `Weather in ${city}`, view: () => blocks };
const args = { city: 'Rome' };

function broken(change: Partial<Record<keyof Describer, () => unknown>>) {
  const told: [string, FallbackReason][] = [];
  const registry = createRegistry({ onFallback: (tool, reason) => told.push([tool, reason]) });
  registry.add('tool', { ...weather, ...change } as Describer);
  return { registry, told };
}

describe('a registry', () => {
  it('without describers gives the generic view', () => {
    const registry = createRegistry();
    expect(registry.describeView('tool', args)).toEqual(genericView('tool', { arguments: args }));
    expect(registry.describe('tool', args)).toBe('tool: city=Rome');
  });

  it("uses a host's describer for its tool and for no other", () => {
    const registry = createRegistry();
    registry.add('weather', weather);
    expect(registry.describe('weather', args)).toBe('Weather in Rome');
    expect(registry.describeView('weather', args)).toEqual({ v: 1, summary: 'Weather in Rome', blocks });
    expect(registry.describe('weather2', args)).toBe('weather2: city=Rome');
    expect(registry.describe('toString', args)).toBe('toString: city=Rome');
  });

  it('takes whole views too, and its own summary counts', () => {
    const registry = createRegistry();
    registry.add('weather', { ...weather, view: () => ({ v: 1, summary: 'other', blocks }) });
    expect(registry.describeView('weather', args).summary).toBe('Weather in Rome');
  });

  it('prefers an exact name, then the pattern that came last', () => {
    const registry = createRegistry();
    const says = (text: string) => ({ ...weather, summary: () => text });
    registry.add('mcp__*', says('first'));
    registry.add(/^mcp__x/g, says('second'));
    registry.add('mcp__x__go', says('exact'));
    expect(
      ['mcp__x__go', 'mcp__x__no', 'mcp__x__no', 'mcp__y'].map((tool) => registry.describe(tool, args)),
    ).toEqual(['exact', 'second', 'second', 'first']);
  });

  it('reads nothing but `*` into a pattern of text', () => {
    const registry = createRegistry();
    registry.add('a.b*', weather);
    expect(registry.describe('aXbc', args)).toBe('aXbc: city=Rome');
  });

  it('shows arguments that are only a text verbatim, whatever describer there is', () => {
    const registry = createRegistry();
    registry.add('weather', weather);
    const { view } = registry.describeCall('weather', { argumentsText: '{"city":1e999}' });
    expect(view.blocks[0]?.value).toBe('{"city":1e999}');
  });
});

describe('a describer', () => {
  it.each<[string, Partial<Record<keyof Describer, () => unknown>>, FallbackReason]>([
    [
      'whose summary throws',
      {
        summary: () => {
          throw new Error('no');
        },
      },
      'threw',
    ],
    [
      'whose view throws',
      {
        view: () => {
          throw new Error('no');
        },
      },
      'threw',
    ],
    ['that gives no text', { summary: () => 5 }, 'nonsense'],
    ['that gives an empty text', { summary: () => '  ' }, 'nonsense'],
    ['that promises a text', { summary: () => Promise.resolve('late') }, 'nonsense'],
    ['that gives no blocks', { view: () => [] }, 'nonsense'],
    ['that gives unknown blocks', { view: () => [{ type: 'table' }] }, 'nonsense'],
    ['that gives nothing', { view: () => undefined }, 'threw'],
  ])('%s is replaced by the generic words, and the host is told once', (_name, change, reason) => {
    const { registry, told } = broken(change);
    const generic = genericView('tool', { arguments: args });
    for (let times = 0; times < 3; times++) {
      const view = registry.describeView('tool', args);
      expect(viewSchema.safeParse(view).success).toBe(true);
      if (change.summary !== undefined) expect(view.summary).toBe(generic.summary);
      else expect(view.blocks).toEqual(generic.blocks);
    }
    expect(told).toEqual([['tool', reason]]);
  });

  it('may take 50 ms and not more', () => {
    for (const [tookMs, expected] of [
      [50, 'Weather in Rome'],
      [51, 'weather: city=Rome'],
    ] as const) {
      let clock = 0;
      const registry = createRegistry({ now: () => clock });
      const slow = () => {
        clock += tookMs;
        return 'Weather in Rome';
      };
      registry.add('weather', { ...weather, summary: slow });
      expect(registry.describe('weather', args)).toBe(expected);
    }
  });

  it('cannot change what will run', () => {
    const registry = createRegistry();
    const mine = { city: 'Rome', list: [1] };
    registry.add('weather', {
      summary: (given) => {
        (given.list as number[]).push(2);
        return 'x';
      },
      view: () => blocks,
    });
    registry.describe('weather', mine);
    expect(mine).toEqual({ city: 'Rome', list: [1] });
  });

  it('has its summary cut, escaped and freed of secrets', () => {
    const registry = createRegistry();
    registry.add('weather', { ...weather, summary: ({ key }) => `a\u202E\nwith ${key} ${'x'.repeat(300)}` });
    const summary = registry.describe('weather', { key: 'v', api_key: 'v', token: 'zz-9' });
    expect([...summary].length).toBe(120);
    expect(summary.startsWith(`a⟨U+202E⟩ ⏎ with ${MASK} x`)).toBe(true);
  });
});

describe('a registry with built-in describers', () => {
  const says = (text: string, more: Partial<Describer> = {}): Describer => ({
    ...weather,
    summary: () => text,
    ...more,
  });

  it('finds them however the name is spelt and whatever server it comes from', () => {
    const registry = createRegistry({ builtIns: [['send_email', says('Send')]] });
    for (const name of [
      'send_email',
      'sendEmail',
      'Send-Email',
      'mcp__mail__send_email',
      'mail.sendEmail',
      'mail/send_email',
    ]) {
      expect([name, registry.describe(name, args)]).toEqual([name, 'Send']);
    }
    expect(registry.describe('send_email_later', args)).toBe('send_email_later: city=Rome');
  });

  it('asks whole names first, then the name alone, then patterns, and always the host before', () => {
    const builtIns: DescriberEntry[] = [
      ['mcp__*', says('pattern')],
      ['send', says('own name')],
      ['mcp__mail__send', says('whole name')],
    ];
    const registry = createRegistry({ builtIns });
    expect(
      ['mcp__mail__send', 'mcp__x__send', 'mcp__x__go'].map((name) => registry.describe(name, args)),
    ).toEqual(['whole name', 'own name', 'pattern']);
    registry.add('mcp__mail__*', says('host'));
    expect(registry.describe('mcp__mail__send', args)).toBe('host');
  });

  it('goes on to the next one that takes the call', () => {
    const builtIns: DescriberEntry[] = [
      ['send', says('mail', { accepts: ({ to }) => to !== undefined })],
      ['send', says('coins', { accepts: ({ amount }) => amount !== undefined })],
    ];
    const registry = createRegistry({ builtIns });
    expect([{ to: 'x' }, { amount: 1 }, { a: 1 }].map((given) => registry.describe('send', given))).toEqual([
      'mail',
      'coins',
      'send: a=1',
    ]);
  });

  it('gives none of them a time limit', () => {
    let clock = 0;
    const slow = says('slow but sure', {
      risk() {
        clock += 1_000;
        return { level: 'low', reasons: [] };
      },
    });
    const registry = createRegistry({ builtIns: [['tool', slow]], now: () => clock });
    expect(registry.risk('tool', args).level).toBe('low');
  });

  it('has none when it is told so', () => {
    expect(createRegistry({ builtIns: [] }).describe('Bash', { command: 'rm x' })).toBe('Bash: rm x');
    expect(createRegistry().describe('Bash', { command: 'rm x' })).toBe('Delete x: rm x');
  });
});

describe('an estimate of risk', () => {
  const withRisk = (risk: unknown) => {
    const { registry, told } = broken({});
    registry.add('tool', { ...weather, risk: () => risk as RiskEstimate });
    return { risk: registry.risk('tool', args), told };
  };

  it('is normal without reasons for a call nobody knows', () => {
    expect(createRegistry().risk('weather', args)).toEqual({ level: 'normal', reasons: [] });
    expect(broken({}).registry.risk('tool', args)).toEqual({ level: 'normal', reasons: [] });
  });

  it('is taken with its reasons as lines, none twice', () => {
    const given = { level: 'high', reasons: ['pays', 'pays', '', 'a\u202E\nb'] };
    expect(withRisk(given).risk).toEqual({ level: 'high', reasons: ['pays', 'a⟨U+202E⟩ ⏎ b'] });
  });

  it('holds no secret, nor half of one', () => {
    const registry = createRegistry();
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const reasons = [`sends ${'x'.repeat(90)} ${secret}`];
    registry.add('tool', { ...weather, risk: () => ({ level: 'high', reasons }) });
    expect(registry.risk('tool', { to: secret }).reasons).toEqual([`sends ${'x'.repeat(90)} ${MASK}`]);
  });

  it.each<[unknown]>([
    [{ level: 'none', reasons: [] }],
    [{ level: 'high' }],
    [{ level: 'low', reasons: [1] }],
    [undefined],
  ])('%j is none', (given) => {
    const { risk, told } = withRisk(given);
    expect(risk).toEqual({ level: 'normal', reasons: [] });
    expect(told).toHaveLength(1);
  });
});

describe('what a describer wants to read', () => {
  it('is each path once, and no more than the limit', () => {
    const registry = createRegistry();
    const paths = Array.from({ length: MAX_READS + 5 }, (_, i) => `f${i}`);
    registry.add('tool', { ...weather, reads: () => ['f0', '', 'a\0b', ...paths] });
    expect(registry.reads('tool', { arguments: args })).toEqual(paths.slice(0, MAX_READS));
  });

  it('is nothing for nonsense', () => {
    const { registry } = broken({ reads: () => [1] });
    expect(registry.reads('tool', { arguments: args })).toEqual([]);
  });

  it('is at hand when it is described, with all that stands around the call', () => {
    const registry = createRegistry();
    registry.add('tool', {
      ...weather,
      summary: (_args, { toolName, cwd, files, title }) =>
        `${toolName} ${cwd} ${JSON.stringify(files.get('x'))} ${title}`,
    });
    const files = new Map([['x', { text: 'y' }]]);
    expect(registry.describe('tool', args, { cwd: '/w', files, title: 'T' })).toBe('tool /w {"text":"y"} T');
  });
});
