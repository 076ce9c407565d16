/** The push gateways in a process of their own; asked by a message they register devices and say how to reach them. */
import { startGateways } from '../../gateways/index.js';

/** Web Push takes four pushes of one origin at once, so that 64 are of sixteen. */
const ORIGINS = 16;

const { apns, fcm, webPush, ca } = await startGateways({
  keep: 'counts',
  webPush: { origins: Array.from({ length: ORIGINS }, () => ({})) },
});

process.on('message', (message) => {
  const { devices } = message as { devices?: number };
  if (devices === undefined) return;
  const each = <T>(make: (at: number) => T): T[] => Array.from({ length: devices }, (_, at) => make(at));
  process.send?.({
    ca,
    apns: {
      ...{ port: apns.production.port, sandboxPort: apns.sandbox.port, credential: apns.credential },
      tokens: each(() => apns.registerDevice()),
    },
    fcm: {
      ...{ port: fcm.api.port, oauthPort: fcm.oauth.port, account: fcm.serviceAccount },
      tokens: each(() => fcm.registerDevice()),
    },
    webPush: {
      origins: webPush.origins.map(({ origin }) => origin),
      tokens: each((at) => JSON.stringify(webPush.subscribe({ origin: at % ORIGINS }))),
    },
  });
});
console.log(`listens on https://127.0.0.1:${apns.production.port}`);
