import { expect, it } from 'vitest';
import { Proven } from '../common/index.js';
import { Environments } from './environments.js';

const HOUR_MS = 3_600_000;

function open() {
  const time = { now: 0 };
  const clock = { now: () => time.now, elapsed: () => time.now, after: () => () => undefined };
  return { time, environments: new Environments(clock, new Proven(clock)) };
}

it('a token that both hosts refuse is given up at once when its app is known to work', () => {
  const { environments } = open();
  expect(environments.refused('app', 'bad')).toBe(false);
  environments.accepted('app', 'good');
  expect(environments.refused('app', 'bad')).toBe(true);
  expect(environments.refused('other app', 'bad')).toBe(false);
});

it('a refusal long ago counts only while nothing was accepted in between', () => {
  const { time, environments } = open();
  environments.refused('app', 'token');
  environments.accepted('app', 'token');
  time.now += 2 * HOUR_MS;
  expect(environments.refused('app', 'token')).toBe(false);
  time.now += HOUR_MS;
  expect(environments.refused('app', 'token')).toBe(true);
});

it('10,000 refused tokens are remembered, and the oldest is forgotten first', () => {
  const { time, environments } = open();
  for (let token = 0; token <= 10_000; token += 1) environments.refused('app', String(token));
  time.now += HOUR_MS;
  expect(environments.refused('app', '10000')).toBe(true);
  expect(environments.refused('app', '0')).toBe(false);
});
