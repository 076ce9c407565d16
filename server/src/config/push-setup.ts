/**
 * What the settings say about push, with credentials read and tried: which apps there are, and what each provider needs
 * for them. Must not know how pushes are sent.
 */
import { configError } from './config-error.js';
import {
  type ApnsKeySetup,
  parseApnsKey,
  parseServiceAccount,
  readCredentialFile,
  type ServiceAccountSetup,
} from './push-credentials.js';
import type { PushAppInput } from './push-settings.js';
import type { RelayConfig } from './relay-config.js';
import { type VapidSetup, vapidKeys } from './vapid-keys.js';

const DEFAULT_APP = 'default';
/** This was written then; every provider refuses what a clock before it signs. */
const EARLIEST_NOW = Date.UTC(2026, 0, 1);

export interface ApnsAppSetup {
  readonly id: string;
  readonly topic: string;
  readonly key: ApnsKeySetup;
  readonly title: string;
  readonly body: string;
  readonly quietBody: string;
  readonly category: string;
}

export interface FcmAppSetup {
  readonly id: string;
  readonly account: ServiceAccountSetup;
}

/** Local gateways in place of the providers: never beyond loopback. */
export interface TestGatewaySetup {
  readonly ca: string;
  readonly apnsPort: number;
  readonly apnsSandboxPort: number;
  readonly fcmPort: number;
  readonly fcmOauthPort: number;
}

export interface PushSetup {
  /** In the order of the settings; the first is that of devices that name none. */
  readonly apps: readonly string[];
  /** Empty: no push by Apple. */
  readonly apns: readonly ApnsAppSetup[];
  /** Empty: no push by Google. */
  readonly fcm: readonly FcmAppSetup[];
  /** Undefined: no Web Push, no UnifiedPush. */
  readonly webPush:
    | { readonly subject: string; readonly keys: readonly VapidSetup[]; readonly origins: readonly string[] }
    | undefined;
  readonly gateways: TestGatewaySetup | undefined;
}

/**
 * Undefined when no provider is configured. Makes and keeps the Web Push key at the first start with a `vapidSubject`.
 * @throws CountersignError `invalid_request` that names the setting.
 */
export function readPush(config: RelayConfig): PushSetup | undefined {
  const apps: readonly PushAppInput[] = config.pushApps.length > 0 ? config.pushApps : [{ id: DEFAULT_APP }];
  const ids = apps.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw configError('pushApps', 'has two apps of one id');
  const accounts = serviceAccounts(config);
  const apns = apps.flatMap((app) => apnsApp(config, app) ?? []);
  const fcm = apps.flatMap((app) => accounts(app) ?? []);
  const webPush = webPushOf(config);
  if (apns.length === 0 && fcm.length === 0 && webPush === undefined) return undefined;
  if (Date.now() < EARLIEST_NOW) throw configError('push', 'the clock of this machine is wrong');
  return { apps: ids, apns, fcm, webPush, gateways: gatewaysOf(config) };
}

/** Undefined for an app without a topic or without any key. */
function apnsApp(config: RelayConfig, app: PushAppInput): ApnsAppSetup | undefined {
  const topic = app.apnsTopic ?? config.apnsTopic;
  const source = textOf(app.apnsKeyFile ?? config.apnsKeyFile, config.apnsKey, 'apnsKeyFile', 'apnsKey');
  if (topic === undefined && source === undefined) return undefined;
  if (source === undefined) throw configError('apnsKeyFile', 'is missing: apnsTopic needs a signing key');
  if (topic === undefined) throw configError('apnsTopic', 'is missing: it must be the bundle id of the app');
  const keyId = app.apnsKeyId ?? config.apnsKeyId;
  const teamId = app.apnsTeamId ?? config.apnsTeamId;
  if (keyId === undefined) throw configError('apnsKeyId', 'is missing: Apple shows it beside the key');
  if (teamId === undefined) throw configError('apnsTeamId', 'is missing: Apple shows it under Membership');
  return {
    id: app.id,
    topic,
    key: { key: parseApnsKey(source.setting, source.text), keyId, teamId },
    title: app.title ?? config.pushTitle,
    body: app.text ?? config.pushText,
    quietBody: app.quietText ?? config.pushQuietText,
    category: app.category ?? config.pushCategory ?? '',
  };
}

/** Apps of one file share the account, and with it the access token. */
function serviceAccounts(config: RelayConfig): (app: PushAppInput) => FcmAppSetup | undefined {
  const known = new Map<string, ServiceAccountSetup>();
  return ({ id, fcmServiceAccountFile }) => {
    const file = fcmServiceAccountFile ?? config.fcmServiceAccountFile;
    const source = textOf(file, config.fcmServiceAccount, 'fcmServiceAccountFile', 'fcmServiceAccount');
    if (source === undefined) return undefined;
    const account = known.get(source.text) ?? parseServiceAccount(source.setting, source.text);
    known.set(source.text, account);
    return { id, account };
  };
}

interface CredentialText {
  readonly setting: string;
  readonly text: string;
}

function textOf(
  file: string | undefined,
  inline: string | undefined,
  fileSetting: string,
  inlineSetting: string,
): CredentialText | undefined {
  if (file !== undefined) return { setting: fileSetting, text: readCredentialFile(fileSetting, file) };
  return inline === undefined ? undefined : { setting: inlineSetting, text: inline };
}

function webPushOf({
  vapidSubject,
  vapidPrivateKeys,
  pushOrigins,
  store,
}: RelayConfig): PushSetup['webPush'] {
  if (vapidSubject === undefined) {
    if (vapidPrivateKeys === undefined) return undefined;
    throw configError('vapidSubject', 'is missing: Web Push needs an address where push services reach you');
  }
  return { subject: vapidSubject, keys: vapidKeys(vapidPrivateKeys, store), origins: pushOrigins };
}

function gatewaysOf({ pushTestGateways, isPrivate }: RelayConfig): TestGatewaySetup | undefined {
  if (pushTestGateways === undefined) return undefined;
  if (!isPrivate) throw configError('pushTestGateways', 'is for a relay that only this machine reaches');
  const ca = readCredentialFile('pushTestGateways', pushTestGateways.ca);
  return { ...pushTestGateways, ca };
}
