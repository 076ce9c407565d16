import { expect, it } from 'vitest';
import type { PairingStatus } from '../api.js';
import { StatusTexts } from './status-texts.js';

const status = (connection: PairingStatus['connection'], message?: string): PairingStatus => ({
  id: 'a',
  agentName: 'agent',
  connection,
  agentOnline: undefined,
  ...(message === undefined ? {} : { problem: { code: 'unreachable', message } }),
});

it('says how a pairing stands once, and leaves out the tries in between', () => {
  const texts = new StatusTexts();
  const said = [
    status('connecting'),
    status('online'),
    status('online'),
    status('waiting', 'not reachable'),
    status('connecting'),
    status('waiting', 'not reachable'),
    status('connecting'),
    status('online'),
  ].map((one) => texts.next(one));
  expect(said).toEqual([
    'agent: connecting',
    'agent: connected',
    '',
    'agent: not reachable',
    '',
    '',
    '',
    'agent: connected',
  ]);
});
