/**
 * Door to strict local push services: APNs, FCM with its OAuth endpoint, and Web Push, as real TLS and HTTP/2 servers on
 * 127.0.0.1, each on a port the system chose, with a certificate authority made at start.
 *
 *     const gateways = await startGateways({ now });
 *     gateways.ca                                    // PEM to trust
 *
 *     gateways.apns.credential                       // {keyId, teamId, key: text of the .p8}
 *     gateways.apns.production.port, .sandbox.port   // host: 'localhost' (or the real names, resolved to 127.0.0.1)
 *     const token = gateways.apns.registerDevice({ environment: 'sandbox' });
 *     gateways.apns.script.next({ reason: 'TooManyRequests', retryAfter: 90 });
 *     gateways.apns.script.forToken(token, { goaway: { when: 'before', reason: 'Shutdown' } });
 *     gateways.apns.shown(token)                     // what the phone shows: newest per collapse id
 *
 *     gateways.fcm.serviceAccount                    // the JSON of the account file
 *     gateways.fcm.api.port, gateways.fcm.oauth.port // for fcm.googleapis.com, and oauth2. and www.googleapis.com
 *     gateways.agent()                               // https.Agent that takes those names to these ports (firebase-admin)
 *     gateways.fcm.registerDevice()                  // → token
 *     gateways.fcm.script.next({ error: 'UNAVAILABLE', delivered: true });   // 503, but it arrived
 *     gateways.fcm.script.next({ bare: 'NOT_FOUND' }); …next({ html502: true });
 *     gateways.fcm.oauthScript.next({ status: 500 });
 *
 *     const { endpoint, p256dh, auth } = gateways.webPush.subscribe({ vapidPublicKey });
 *     await gateways.webPush.addOrigin({ profile: 'firefox-android' });
 *     gateways.webPush.script.forToken(endpoint, { status: 406, retryAfter: 900 });
 *     gateways.webPush.script.next({ wire: 'flood' });
 *
 * Common to all three: `script` (see `Step` for delays, resets, stalls, floods), `traffic` (requests byte for byte, `find`
 * to prove what is in none), `delivered` (what was accepted; `items`, `count`, `await whenCount(n)`), and per listener
 * `wire.opened`, `wire.open`, `wire.freeze()`, `wire.thaw()`, `wire.resetAll()`.
 * A refused request says in `traffic.items[n].refusal` which rule it broke.
 *
 * Must not know the relay: whoever builds another sender may use these.
 */

export type { ApnsDelivery, ApnsGateway, ApnsOptions, ApnsStep } from './apns/apns-gateway.js';
export { DEFAULT_TOPIC } from './apns/apns-gateway.js';
export type { ApnsCredential, ApnsEnvironment } from './apns/provider-token.js';
export type { ApnsReason } from './apns/reasons.js';
export { APNS_REASONS } from './apns/reasons.js';
export type { FcmErrorCode, GoogleStatus } from './fcm/errors.js';
export { FCM_ERRORS, GOOGLE_STATUSES } from './fcm/errors.js';
export type { FcmDelivery, FcmGateway, FcmOptions, FcmStep } from './fcm/fcm-gateway.js';
export { DEFAULT_PROJECT } from './fcm/fcm-gateway.js';
export type { ServiceAccount } from './fcm/oauth.js';
export type { GatewayOptions, Gateways } from './gateways.js';
export { startGateways } from './gateways.js';
export { CERTIFIED_NAMES } from './kit/authority.js';
export type { Step } from './kit/script.js';
export type { Answer, RecordedRequest, Traffic } from './kit/traffic.js';
export { openMessage } from './web-push/message-encryption.js';
export type {
  OriginOptions,
  SubscribeOptions,
  Subscription,
  WebPushDelivery,
  WebPushGateway,
  WebPushOptions,
  WebPushOrigin,
  WebPushStep,
} from './web-push/web-push-gateway.js';
