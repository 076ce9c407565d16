/**
 * Name resolution for endpoints of strangers: the addresses a name has at this moment are judged and handed to the
 * connection, so that nothing asks again in between (DNS rebinding). Must not know URLs or pushes.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify, promisify } from 'node:util';
import { UNSAFE_ADDRESS } from '../common/index.js';

export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const lookupAll = promisify(systemLookup);
export const systemResolve: Resolve = (hostname) => lookupAll(hostname, { all: true });

export interface GuardOptions {
  readonly resolve: Resolve;
  readonly isSafe: (address: string) => boolean;
}

/** True when the name has addresses and each of them is safe: one bad address among good ones is no accident. */
export function areSafe(addresses: readonly LookupAddress[], isSafe: (address: string) => boolean): boolean {
  return addresses.length > 0 && addresses.every(({ address }) => isSafe(address));
}

/** For the option `lookup` of a connection. */
export function guardedLookup({ resolve, isSafe }: GuardOptions): LookupFunction {
  const lookup = callbackify(resolve);
  return (hostname, options, done) => {
    lookup(hostname, (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => {
      if (error) return done(error, '', 0);
      const [first] = addresses;
      if (first === undefined || !areSafe(addresses, isSafe)) return done(unsafe(), '', 0);
      return options.all ? done(null, [...addresses]) : done(null, first.address, first.family);
    });
  };
}

function unsafe(): NodeJS.ErrnoException {
  return Object.assign(new Error('the name leads to an address that is not public'), {
    code: UNSAFE_ADDRESS,
  });
}
