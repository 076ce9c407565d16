/** A device's push token in memory. Must not know what is pushed. */
import type { DeviceLogin, PairingAttempt, PushRegistration } from '../../../ports/index.js';

export function registrationOf(login: PairingAttempt | DeviceLogin): PushRegistration {
  const { deviceToken, app, provider, vapidPublicKey, now, tokenProblem } = login;
  return { deviceToken, app, provider, vapidPublicKey, registeredAt: now, problem: tokenProblem };
}

/** The registration after a login (`RelayStore.touchDevice`). */
export function afterLogin(before: PushRegistration, login: DeviceLogin): PushRegistration {
  const isSame = before.deviceToken === login.deviceToken && before.app === login.app;
  const isKept = login.deviceToken === '' || isSame;
  const handle = login.newHandle && ((isKept ? before.handle : undefined) ?? login.newHandle.slice());
  if (!isKept) return { ...registrationOf(login), handle };
  if (login.deviceToken !== '') {
    return { ...before, handle, provider: login.provider, registeredAt: login.now };
  }
  const problem = before.deviceToken === '' ? (login.tokenProblem ?? before.problem) : before.problem;
  return { ...before, handle, problem };
}
