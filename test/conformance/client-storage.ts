/** What every storage of a device must do, whatever it keeps its records in. Knows only the port. */
import { COLLECTIONS, type Storage } from '@countersign/client-sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

export interface StorageSubject {
  open(): Promise<Storage>;
  cleanUp(): Promise<void>;
}

/** `lasting`: opening again after `close` finds the same records. */
export function clientStorageConformance(
  name: string,
  kind: { lasting: boolean },
  makeSubject: () => Promise<StorageSubject>,
): void {
  describe(`${name} storage`, () => {
    let subject: StorageSubject;
    let storage: Storage;

    beforeEach(async () => {
      subject = await makeSubject();
      storage = await subject.open();
    });
    afterEach(async () => {
      await storage.close();
      await subject.cleanUp();
    });

    const get = (key: string) => storage.transaction((tx) => tx.get('meta', key));
    const put = (key: string, value: unknown) => storage.transaction((tx) => tx.put('meta', key, value));

    it('gives undefined for a key that was never written', async () => {
      expect(await get('absent')).toBeUndefined();
    });

    it('gives back JSON values and bytes as they were', async () => {
      const value = {
        text: 'é🐈\u2028',
        list: [1.5, null, true, []],
        bytes: Uint8Array.of(0, 255, 7),
        $bytes: 'not bytes',
        $$x: { $bytes: { deep: Uint8Array.of() } },
      };
      await put('value', value);
      expect(await get('value')).toEqual(value);
      expect((await get('value')) as object).toHaveProperty('bytes', Uint8Array.of(0, 255, 7));
    });

    it('keeps every collection apart', async () => {
      await storage.transaction(async (tx) => {
        for (const collection of COLLECTIONS) await tx.put(collection, 'key', collection);
      });
      const found = await storage.transaction((tx) => Promise.all(COLLECTIONS.map((c) => tx.get(c, 'key'))));
      expect(found).toEqual(COLLECTIONS);
    });

    it('sees its own writes inside a transaction', async () => {
      const seen = await storage.transaction(async (tx) => {
        await tx.put('meta', 'a', 1);
        await tx.put('meta', 'b', 2);
        await tx.delete('meta', 'a');
        return [await tx.get('meta', 'a'), await tx.get('meta', 'b'), await tx.list('meta')];
      });
      expect(seen).toEqual([undefined, 2, [['b', 2]]]);
    });

    it('leaves everything as it was when the body throws', async () => {
      await put('kept', 'before');
      const failing = storage.transaction(async (tx) => {
        await tx.put('meta', 'kept', 'after');
        await tx.put('meta', 'new', 1);
        throw new Error('on purpose');
      });
      await expect(failing).rejects.toThrow('on purpose');
      expect(await storage.transaction((tx) => tx.list('meta'))).toEqual([['kept', 'before']]);
    });

    it('runs transactions one after the other, so that no increment is lost', async () => {
      const increment = () =>
        storage.transaction(async (tx) => {
          const now = ((await tx.get('meta', 'count')) as number | undefined) ?? 0;
          await tx.put('meta', 'count', now + 1);
        });
      await Promise.all(Array.from({ length: 20 }, increment));
      expect(await get('count')).toBe(20);
    });

    it('goes on after a transaction that failed', async () => {
      const failing = storage.transaction(() => {
        throw new Error('on purpose');
      });
      const next = put('after', true);
      await expect(failing).rejects.toThrow('on purpose');
      await next;
      expect(await get('after')).toBe(true);
    });

    it('lists by prefix in order of UTF-16 code units', async () => {
      const keys = ['p/b', 'p/a', 'p/\uffff', 'p/\u{1F408}', 'q', 'p', 'p/10', 'p/9'];
      await storage.transaction(async (tx) => {
        for (const key of keys) await tx.put('outbox', key, key);
      });
      const listed = await storage.transaction((tx) => tx.list('outbox', 'p/'));
      expect(listed.map(([key]) => key)).toEqual(['p/10', 'p/9', 'p/a', 'p/b', 'p/\u{1F408}', 'p/\uffff']);
    });

    it('deletes, and deletes what is not there without complaint', async () => {
      await put('gone', 1);
      await storage.transaction(async (tx) => {
        await tx.delete('meta', 'gone');
        await tx.delete('meta', 'never');
      });
      expect(await get('gone')).toBeUndefined();
    });

    it('shares no object with the caller', async () => {
      const value = { list: [1] };
      await put('value', value);
      value.list.push(2);
      const read = (await get('value')) as { list: number[] };
      read.list.push(3);
      expect(await get('value')).toEqual({ list: [1] });
    });

    it('gives a protected secret back', async () => {
      const secret = Uint8Array.from({ length: 32 }, (_, index) => index);
      const kept = await storage.protect(secret);
      expect(await storage.reveal(kept)).toEqual(secret);
    });

    it('refuses work after it was closed, twice without harm', async () => {
      await storage.close();
      await storage.close();
      await expect(get('any')).rejects.toMatchObject({ code: 'closed' });
      await expect(storage.protect(Uint8Array.of(1))).rejects.toMatchObject({ code: 'closed' });
    });

    if (!kind.lasting) return;
    it('still has what was committed after it was opened again', async () => {
      const secret = Uint8Array.of(1, 2, 3);
      await put('kept', { bytes: secret });
      const kept = await storage.protect(secret);
      await storage.close();
      storage = await subject.open();
      expect(await get('kept')).toEqual({ bytes: secret });
      expect(await storage.reveal(kept)).toEqual(secret);
    });
  });
}
