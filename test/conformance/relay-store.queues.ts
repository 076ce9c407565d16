/** Outboxes: what is queued, handed out and confirmed. Part of the suite in relay-store.ts. */
import { ROUTING } from '@countersign/protocol';
import type { RelayStore } from '@countersign/server/ports';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ALL, freshKey, NOW, Scene, type StoreSuite } from './relay-store.scene.js';

export function queuesConformance(suite: StoreSuite): void {
  let store: RelayStore;
  beforeAll(() => {
    store = suite.store;
  });

  describe('queueing', () => {
    it('gives back what was given, sender and times included', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const ciphertext = Uint8Array.from({ length: 61_456 }, (_, i) => i % 251);
      const nonce = Uint8Array.from({ length: 12 }, (_, i) => i);
      const seq = await scene.seqOf(
        scene.send(scene.agent, device, { ciphertext, nonce, expiresAt: NOW + 5 }),
      );
      const [message] = await store.takeUnproven(scene.id, device, ALL);
      expect(message).toEqual({
        seq,
        sender: scene.agent,
        nonce,
        ciphertext,
        enqueuedAt: NOW,
        expiresAt: NOW + 5,
      });
    });

    it('takes its own copy of pooled bytes and leaves the caller his', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const pool = new Uint8Array(200_000).fill(1);
      const ciphertext = pool.subarray(1000, 61_000);
      const sent = scene.send(scene.agent, device, { ciphertext });
      ciphertext.fill(2);
      await sent;
      expect(pool.length).toBe(200_000);
      const [message] = await store.takeUnproven(scene.id, device, ALL);
      expect(message?.ciphertext.every((byte) => byte === 1)).toBe(true);
    });

    it('keeps an empty and a large ciphertext', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      for (const size of [0, 600_000])
        await scene.send(scene.agent, device, { ciphertext: new Uint8Array(size) });
      const sizes = (await store.takeUnproven(scene.id, device, ALL)).map((m) => m.ciphertext.length);
      expect(sizes).toEqual([0, 600_000]);
    });

    it('knows the newest message of a sender that waits for a recipient', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const last = (sender: Uint8Array, recipient: Uint8Array) =>
        store.lastQueuedSeq(scene.id, sender, recipient);
      expect(await last(scene.agent, device)).toBe(0);
      await scene.send(scene.agent, device, {});
      const seq = await scene.seqOf(scene.send(scene.agent, device, {}));
      await scene.send(device, scene.agent, {});
      expect(await last(scene.agent, device)).toBe(seq);
      await store.ackThrough(scene.id, device, seq, NOW);
      expect(await last(scene.agent, device)).toBe(0);
      expect(await store.lastQueuedSeq(freshKey(), scene.agent, device)).toBe(0);
    });

    it('numbers messages ascending per recipient, in the order they were given', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const sent = Array.from({ length: 50 }, (_, i) =>
        scene.seqOf(scene.send(scene.agent, device, { ciphertext: Uint8Array.of(i) })),
      );
      const seqs = await Promise.all(sent);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      expect(new Set(seqs).size).toBe(50);
      const taken = await store.takeUnproven(scene.id, device, ALL);
      expect(taken.map((m) => [m.seq, m.ciphertext[0]])).toEqual(seqs.map((seq, i) => [seq, i]));
    });

    it('never uses a number again, whatever was deleted', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const first = await scene.seqOf(scene.send(scene.agent, device));
      await store.ackThrough(scene.id, device, first, NOW);
      const second = await scene.seqOf(scene.send(scene.agent, device));
      expect(second).toBeGreaterThan(first);
      await store.applyAuthorize(scene.id, [], NOW);
      await scene.pair({ ed25519: device });
      await store.applyAuthorize(scene.id, [device], NOW);
      expect(await scene.seqOf(scene.send(scene.agent, device))).toBeGreaterThan(second);
    });

    it('goes between the agent and an authorized device only', async () => {
      const scene = await Scene.create(store);
      const [a, b] = [await scene.authorizedDevice(), await scene.authorizedDevice()];
      const { device: pending } = await scene.pair();
      const pairs = [
        [a, b],
        [scene.agent, pending],
        [pending, scene.agent],
        [scene.agent, freshKey()],
        [freshKey(), scene.agent],
        [scene.agent, scene.agent],
        [freshKey(), freshKey()],
      ] as const;
      for (const [from, to] of pairs) expect(await scene.send(from, to)).toBe('not_found');
      expect(await scene.send(a, scene.agent)).toHaveProperty('seq');
    });

    it('is not found for a device revoked meanwhile, and leaves nothing from it', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const results = await Promise.all([
        store.applyAuthorize(scene.id, [], NOW),
        scene.send(scene.agent, device),
        scene.send(device, scene.agent),
      ]);
      expect(results.slice(1)).toEqual(['not_found', 'not_found']);
      expect(await scene.seqsFor(scene.agent)).toEqual([]);
    });

    it('takes exactly as many messages as the limit says, for each sender and recipient', async () => {
      const scene = await Scene.create(store);
      const [a, b] = [await scene.authorizedDevice(), await scene.authorizedDevice()];
      const limits = { messages: 200, bytes: 4 << 20 };
      const results = await Promise.all(
        Array.from({ length: 203 }, () => scene.send(scene.agent, a, { limits })),
      );
      expect(results.filter((result) => result === 'queue_full')).toHaveLength(3);
      expect(results.lastIndexOf('queue_full')).toBe(202);
      expect(await scene.send(scene.agent, b, { limits })).toHaveProperty('seq');
      expect(await scene.send(a, scene.agent, { limits })).toHaveProperty('seq');
    });

    it('takes exactly as many bytes as the limit says', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const limits = { messages: 10, bytes: 1000 };
      const send = (size: number) =>
        scene.send(device, scene.agent, { limits, ciphertext: new Uint8Array(size) });
      expect(await send(600)).toHaveProperty('seq');
      expect(await send(401)).toBe('queue_full');
      expect(await send(400)).toHaveProperty('seq');
      expect(await send(1)).toBe('queue_full');
    });

    it('counts neither confirmed nor expired messages against the limit', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const limits = { messages: 2, bytes: 1000 };
      const send = (over: object) => scene.send(scene.agent, device, { limits, ...over });
      const first = await scene.seqOf(send({}));
      await send({ expiresAt: NOW + 10 });
      expect(await send({ now: NOW + 9 })).toBe('queue_full');
      expect(await send({ now: NOW + 10 })).toHaveProperty('seq');
      expect(await send({ now: NOW + 10 })).toBe('queue_full');
      await store.ackThrough(scene.id, device, first, NOW);
      expect(await send({ now: NOW + 10 })).toHaveProperty('seq');
    });
  });

  describe('a handle of the sender', () => {
    const nonces = Array.from({ length: 4 }, (_, i) => new Uint8Array(12).fill(i + 1));
    const [first, second] = nonces as [Uint8Array, Uint8Array];
    const dayLater = NOW + ROUTING.dedupMs;

    it('comes back with the message, every uint64, and is absent where none was given', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const refs = [0n, 1n, 2n ** 63n, 2n ** 64n - 1n, undefined];
      for (const [i, ref] of refs.entries()) {
        await scene.send(scene.agent, device, { ref, nonce: new Uint8Array(12).fill(i) });
      }
      const taken = await store.takeUnproven(scene.id, device, ALL);
      expect(taken.map((message) => message.ref)).toEqual(refs);
      expect(taken[4]).not.toHaveProperty('ref');
    });

    it('makes a repeated message one, also while its first copy is under way', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const send = () => scene.send(scene.agent, device, { ref: 5n, nonce: first });
      const [one, two] = await Promise.all([send(), send()]);
      expect(one).toEqual({ seq: expect.any(Number) });
      expect(two).toEqual({ seq: (one as { seq: number }).seq, repeated: true });
      expect(await scene.seqsFor(device)).toHaveLength(1);
    });

    it('does so for 24 hours, whatever became of the message', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const send = (now: number) =>
        scene.send(scene.agent, device, { ref: 5n, nonce: first, now, expiresAt: now + 1 });
      const seq = await scene.seqOf(send(NOW));
      await store.ackThrough(scene.id, device, seq, NOW);
      expect(await send(dayLater - 1)).toEqual({ seq, repeated: true });
      const again = await send(dayLater);
      expect(again).toEqual({ seq: expect.any(Number) });
      expect(await send(dayLater + 1)).toEqual({ ...(again as object), repeated: true });
    });

    it('is another message from another sender, to another recipient, or without a handle', async () => {
      const scene = await Scene.create(store);
      const [a, b] = [await scene.authorizedDevice(), await scene.authorizedDevice()];
      const over = { ref: 5n, nonce: first };
      const results = [
        await scene.send(scene.agent, a, over),
        await scene.send(scene.agent, b, over),
        await scene.send(a, scene.agent, over),
        await scene.send(b, scene.agent, over),
        await scene.send(scene.agent, a, { ...over, nonce: second }),
        await scene.send(scene.agent, a, { nonce: first }),
        await scene.send(scene.agent, a, { nonce: first }),
      ];
      for (const result of results) expect(result).toEqual({ seq: expect.any(Number) });
      expect(await scene.send(a, scene.agent, over)).toHaveProperty('repeated');
    });

    it('is answered as accepted also when the queue is full, and never for one that was refused', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const limits = { messages: 1, bytes: 1000 };
      const send = (nonce: Uint8Array) => scene.send(scene.agent, device, { ref: 5n, nonce, limits });
      const seq = await scene.seqOf(send(first));
      expect(await send(second)).toBe('queue_full');
      expect(await send(first)).toEqual({ seq, repeated: true });
      await store.ackThrough(scene.id, device, seq, NOW);
      expect(await send(second)).not.toHaveProperty('repeated');
    });

    it('is forgotten with a revoked device, whose messages are gone', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const both = () => [
        scene.send(scene.agent, device, { ref: 5n, nonce: first }),
        scene.send(device, scene.agent, { ref: 5n, nonce: first }),
      ];
      await Promise.all(both());
      await store.applyAuthorize(scene.id, [], NOW);
      expect(await Promise.all(both())).toEqual(['not_found', 'not_found']);
      await scene.pair({ ed25519: device });
      await store.applyAuthorize(scene.id, [device], NOW);
      for (const result of await Promise.all(both())) expect(result).toEqual({ seq: expect.any(Number) });
    });

    it('remembers at most so many nonces, and the newest', async () => {
      const small = await suite.open({ maxNonces: 3 });
      const [one, two] = [await Scene.create(small), await Scene.create(small)];
      const a = await one.authorizedDevice();
      const b = await two.authorizedDevice();
      const isRepeated = async (i: number) => {
        const [scene, device] = i < 2 ? [one, a] : [two, b];
        const over = { ref: 1n, nonce: nonces[i] as Uint8Array, now: NOW + i };
        return 'repeated' in ((await scene.send(scene.agent, device, over)) as object);
      };
      for (let i = 0; i < 4; i++) expect(await isRepeated(i)).toBe(false);
      for (let i = 1; i < 4; i++) expect(await isRepeated(i)).toBe(true);
      expect(await isRepeated(0)).toBe(false);
      expect(await isRepeated(1)).toBe(false);
    });

    it('is collected after 24 hours in bounded steps, and when its time has not come yet', async () => {
      const fresh = await suite.open();
      const scene = await Scene.create(fresh);
      const device = await scene.authorizedDevice();
      for (const nonce of nonces) await scene.send(scene.agent, device, { ref: 1n, nonce });
      const step = { pendingBefore: 0, emptyBefore: 0, idleBefore: 0, connected: [], maxRows: 3 };
      const at = async (now: number) => (await fresh.collect({ ...step, now })).nonces;
      expect(await at(dayLater - 1)).toBe(0);
      expect([await at(dayLater), await at(dayLater), await at(dayLater)]).toEqual([3, 1, 0]);
      await scene.send(scene.agent, device, { ref: 1n, nonce: first, now: dayLater });
      expect(await at(NOW)).toBe(1);
    });
  });

  describe('taking and confirming', () => {
    it('hands out at least one message and then no more bytes than asked', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      for (const size of [500, 300, 200, 100]) {
        await scene.send(scene.agent, device, { ciphertext: new Uint8Array(size) });
      }
      const sizes = async (maxBytes: number) =>
        (await store.takeUnproven(scene.id, device, { ...ALL, maxBytes })).map((m) => m.ciphertext.length);
      expect(await sizes(0)).toEqual([500]);
      expect(await sizes(799)).toEqual([500]);
      expect(await sizes(800)).toEqual([500, 300]);
      expect(await sizes(1100)).toEqual([500, 300, 200, 100]);
    });

    it('goes on after the number given', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      const seqs = [];
      for (let i = 0; i < 3; i++) seqs.push(await scene.seqOf(scene.send(scene.agent, device)));
      expect(await scene.seqsFor(device, { afterSeq: seqs[0] as number })).toEqual(seqs.slice(1));
      expect(await scene.seqsFor(device, { afterSeq: seqs[2] as number })).toEqual([]);
    });

    it('hands out no message from the moment it expires', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      await scene.send(scene.agent, device, { expiresAt: NOW + 10 });
      const kept = await scene.seqOf(scene.send(scene.agent, device));
      expect(await scene.seqsFor(device, { now: NOW + 9 })).toHaveLength(2);
      expect(await scene.seqsFor(device, { now: NOW + 10 })).toEqual([kept]);
    });

    it('hands out only what was queued since the time asked', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      await scene.send(device, scene.agent, { now: NOW });
      const fresh = await scene.seqOf(scene.send(device, scene.agent, { now: NOW + 1 }));
      expect(await scene.seqsFor(scene.agent, { enqueuedNotBefore: NOW + 1 })).toEqual([fresh]);
    });

    it('takes nothing away until it is confirmed, and then only up to the number', async () => {
      const scene = await Scene.create(store);
      const [device, other] = [await scene.authorizedDevice(), await scene.authorizedDevice()];
      const seqs: number[] = [];
      for (let i = 0; i < 3; i++) seqs.push(await scene.seqOf(scene.send(scene.agent, device)));
      await scene.send(scene.agent, other);
      expect(await scene.seqsFor(device)).toEqual(seqs);
      expect(await store.ackThrough(scene.id, device, seqs[1] as number, NOW)).toMatchObject({ messages: 2 });
      expect(await store.ackThrough(scene.id, device, seqs[1] as number, NOW)).toMatchObject({ messages: 0 });
      expect(await scene.seqsFor(device)).toEqual(seqs.slice(2));
      expect(await scene.seqsFor(other)).toHaveLength(1);
    });

    it('drops what waits for the agent from before a time, and nothing that waits for devices', async () => {
      const scene = await Scene.create(store);
      const device = await scene.authorizedDevice();
      await scene.send(device, scene.agent, { now: NOW - 1 });
      const kept = await scene.seqOf(scene.send(device, scene.agent, { now: NOW }));
      await scene.send(scene.agent, device, { now: NOW - 1 });
      expect(await store.dropWaitingForAgent(scene.id, NOW)).toBe(1);
      expect(await scene.seqsFor(scene.agent)).toEqual([kept]);
      expect(await scene.seqsFor(device)).toHaveLength(1);
    });

    it('any order of sending, confirming and taking agrees with a plain list', async () => {
      const step = fc.oneof(
        fc.record({ kind: fc.constant('send' as const), size: fc.integer({ min: 0, max: 300 }) }),
        fc.record({ kind: fc.constant('ack' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
        fc.record({ kind: fc.constant('take' as const), maxBytes: fc.integer({ min: 0, max: 600 }) }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
          const scene = await Scene.create(store);
          const device = await scene.authorizedDevice();
          const limits = { messages: 5, bytes: 700 };
          let model: { seq: number; size: number }[] = [];
          for (const each of steps) {
            if (each.kind === 'send') {
              const bytes = model.reduce((sum, { size }) => sum + size, each.size);
              const result = await scene.send(scene.agent, device, {
                limits,
                ciphertext: new Uint8Array(each.size),
              });
              if (model.length >= limits.messages || bytes > limits.bytes) expect(result).toBe('queue_full');
              else model.push({ seq: (result as { seq: number }).seq, size: each.size });
            } else if (each.kind === 'ack') {
              const through = model[Math.floor(each.share * (model.length - 1))]?.seq ?? 0;
              await store.ackThrough(scene.id, device, through, NOW);
              model = model.filter(({ seq }) => seq > through);
            } else {
              let bytes = 0;
              const expected = model.filter(({ size }, i) => {
                bytes += size;
                return i === 0 || bytes <= each.maxBytes;
              });
              expect(await scene.seqsFor(device, { maxBytes: each.maxBytes })).toEqual(
                expected.map(({ seq }) => seq),
              );
            }
          }
        }),
        { numRuns: 20 },
      );
    });
  });
}
