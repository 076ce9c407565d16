/** What a person or a script has to know to reach a set of gateways. Must not know how it was started. */

import { DEFAULT_TOPIC } from './apns/apns-gateway.js';
import type { Gateways } from './gateways.js';

export interface Paths {
  readonly ca: string;
  readonly apnsKey: string;
  readonly serviceAccount: string;
}

export type Description = ReturnType<typeof describeGateways>;

/** The environment of a relay that pushes here: its settings for each provider, and where they are. */
function relayEnvironment({ apns, fcm, webPush }: Gateways, paths: Paths): Record<string, string> {
  const settings = {
    PUSH_TEST_GATEWAYS: JSON.stringify({
      ca: paths.ca,
      apnsPort: apns.production.port,
      apnsSandboxPort: apns.sandbox.port,
      fcmPort: fcm.api.port,
      fcmOauthPort: fcm.oauth.port,
    }),
    APNS_TOPIC: DEFAULT_TOPIC,
    APNS_KEY_FILE: paths.apnsKey,
    APNS_KEY_ID: apns.credential.keyId,
    APNS_TEAM_ID: apns.credential.teamId,
    FCM_SERVICE_ACCOUNT_FILE: paths.serviceAccount,
    VAPID_SUBJECT: 'mailto:push@example.org',
    PUSH_ORIGINS: webPush.origins.map(({ origin }) => origin).join(','),
  };
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [`COUNTERSIGN_RELAY_${name}`, value]),
  );
}

/** Registers `devices` at each gateway and names everything. */
export function describeGateways(gateways: Gateways, paths: Paths, devices: number) {
  const { apns, fcm, webPush } = gateways;
  const each = <T>(make: () => T): T[] => Array.from({ length: devices }, make);
  return {
    ca: paths.ca,
    apns: {
      production: apns.production.url,
      sandbox: apns.sandbox.url,
      keyId: apns.credential.keyId,
      teamId: apns.credential.teamId,
      keyFile: paths.apnsKey,
      topic: DEFAULT_TOPIC,
      productionTokens: each(() => apns.registerDevice()),
      sandboxTokens: each(() => apns.registerDevice({ environment: 'sandbox' })),
    },
    fcm: {
      api: fcm.api.url,
      oauth: fcm.oauth.url,
      projectId: fcm.serviceAccount.project_id,
      serviceAccountFile: paths.serviceAccount,
      tokens: each(() => fcm.registerDevice()),
    },
    webPush: {
      origins: webPush.origins.map(({ origin }) => origin),
      subscriptions: each(() => webPush.subscribe()),
    },
    relay: relayEnvironment(gateways, paths),
  };
}

export function asText({ ca, apns, fcm, webPush, relay }: Description): string {
  const list = (values: readonly string[]): string => values.map((value) => `    ${value}\n`).join('');
  return `Push gateways on this machine. Ctrl-C ends them.

Certificate to trust: ${ca}

APNs
  production ${apns.production}
  sandbox    ${apns.sandbox}
  key file   ${apns.keyFile} (key id ${apns.keyId}, team id ${apns.teamId})
  topic      ${apns.topic}
  production tokens
${list(apns.productionTokens)}  sandbox tokens
${list(apns.sandboxTokens)}
FCM
  fcm.googleapis.com is ${fcm.api}
  oauth2.googleapis.com and www.googleapis.com are ${fcm.oauth}
  service account ${fcm.serviceAccountFile} (project ${fcm.projectId})
  tokens
${list(fcm.tokens)}
Web Push
  origins ${webPush.origins.join(' ')}
  subscriptions
${list(webPush.subscriptions.map((each) => JSON.stringify(each)))}
Environment of a relay that pushes to them:
${list(Object.entries(relay).map(([name, value]) => `${name}='${value}'`))}
Another sender: trust the certificate, give it these credentials, and these ports in the place of the real hosts.
`;
}
