/**
 * The one login that makes a device known to a relay (01 §3, column "pairing"). Repeating it with the same keys
 * and token is safe. Must not know the pairing link, the code or what is stored.
 */
import { authorityOf } from '../auth/index.js';
import { CLOSE } from '../frames/index.js';
import { orAborted } from './async-tools.js';
import { Connection, type ConnectionParams } from './connection.js';
import type { PairingLogin } from './link.types.js';
import { errorOfProblem, problem } from './problems.js';
import { checkRelayUrl, pairingRoleOf } from './roles.js';
import { type LinkRuntime, platformRuntime } from './runtime.js';

/**
 * Resolves on `auth_ok`; says whether the relay's challenge was bound to the dialled authority.
 * @throws CountersignError the relay's code (`pairing_closed`, `not_found`, …), `relay_binding`,
 * `challenge_timeout`, `unavailable` when it cannot be reached; the signal's reason when that aborts.
 */
export function pairAtRelay(login: PairingLogin): Promise<{ relayBound: boolean }> {
  return pairAtRelayIn(login, platformRuntime);
}

export async function pairAtRelayIn(
  login: PairingLogin,
  runtime: LinkRuntime,
): Promise<{ relayBound: boolean }> {
  login.signal?.throwIfAborted();
  const params = paramsOf(login);
  let connection: Connection | undefined;
  const attempt = new Promise<{ relayBound: boolean }>((resolve, reject) => {
    connection = new Connection(runtime, params, {
      online: ({ relayBound }) => resolve({ relayBound }),
      ended: (end) => reject(errorOfProblem(end.problem)),
      frame: () => undefined,
      ping: () => undefined,
    });
  });
  try {
    return await orAborted(attempt, login.signal);
  } finally {
    connection?.end(problem('pairing_closed', params.who), CLOSE.pairingDone);
  }
}

function paramsOf(login: PairingLogin): ConnectionParams {
  checkRelayUrl(login.relayUrl);
  return {
    relayUrl: login.relayUrl,
    who: { role: 'pairing', authority: authorityOf(login.relayUrl), hasInvite: false },
    role: pairingRoleOf(login),
    namespaceId: login.namespaceId,
    capabilities: [],
    binding: login.binding,
    ca: login.ca,
    sign: (message) => login.sign(message),
  };
}
