import { MASK, viewSchema } from '@countersign/protocol/blocks';
import { describe, expect, it } from 'vitest';
import { genericView } from './generic.js';
import { createRegistry, type Describer, type FallbackReason } from './registry.js';

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
