import type { RelayFrame } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { Control } from './control.js';

const key = (n: number) => new Uint8Array(32).fill(n);
const device = (n: number) => ({
  ed25519: key(n),
  x25519: key(n),
  platform: 3,
  window: new Uint8Array(16).fill(n),
});

function control(capabilities: string[] = ['window']) {
  const sent: RelayFrame[] = [];
  const peer = {
    role: 'agent' as const,
    namespaceId: key(0),
    key: key(0),
    agent: key(0),
    old: false,
    capabilities,
  };
  return { sent, control: new Control({ peer, send: (frame) => sent.push(frame) }) };
}

const pairedKeys = (sent: readonly RelayFrame[]) =>
  sent.map((frame) => frame.type === 'client_paired' && frame.clientEd25519Pub[0]);

describe('what the relay says by itself', () => {
  it('names each pending device once, those that came during the login too', () => {
    const { sent, control: said } = control();
    said.paired(device(2));
    said.paired(device(3));
    expect(sent).toEqual([]);
    said.open([device(1), device(2)]);
    expect(pairedKeys(sent)).toEqual([1, 2, 3]);
    said.paired(device(4));
    expect(pairedKeys(sent)).toEqual([1, 2, 3, 4]);
  });

  it('leaves the window out for an agent that did not ask for it', () => {
    const { sent, control: said } = control([]);
    said.open([device(1)]);
    expect(sent[0]).not.toHaveProperty('window');
  });

  it('keeps what was accepted during the login until auth_ok is written', () => {
    const { sent, control: said } = control(['ref']);
    said.accepted(1n);
    said.accepted(2n);
    expect(sent).toEqual([]);
    said.open([]);
    said.accepted(3n);
    expect(sent).toEqual([1n, 2n, 3n].map((ref) => ({ type: 'accepted', ref })));
  });

  it('tells a peer that did not ask nothing of what was accepted', () => {
    const { sent, control: said } = control(['window']);
    said.accepted(1n);
    said.open([]);
    said.accepted(2n);
    expect(sent).toEqual([]);
  });

  it('keeps presence back until the first batch is written, and then says the latest', () => {
    const { sent, control: said } = control();
    said.presence(key(1), true);
    said.presence(key(2), true);
    said.presence(key(1), false);
    expect(sent).toEqual([]);
    said.openPresence();
    said.presence(key(2), false);
    expect(sent.map((frame) => frame.type === 'presence_event' && [frame.pubkey[0], frame.status])).toEqual([
      [1, 2],
      [2, 1],
      [2, 2],
    ]);
  });
});
