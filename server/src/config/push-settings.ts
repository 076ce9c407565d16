/** Settings of push: credentials of the providers, and what people see before the phone has decrypted anything. */
import { parseUrl } from '@countersign/protocol';
import { z } from 'zod';
import { list, type Setting, text } from './setting.js';

/** So that a wake fits into every provider's limit, however a text is written. */
const MAX_TITLE_CHARS = 128;
const MAX_TEXT_CHARS = 256;
const MAX_CATEGORY_CHARS = 64;

const CONTACT_PROBLEM = 'must be mailto: or https: with a public name; push services refuse others';

const path = z.string('must be a path').min(1, 'must not be empty');
const shown = (max: number) => z.string('must be a text').max(max, `must have ${max} characters or fewer`);
const appleId = z
  .string('must be a text')
  .regex(/^[A-Z0-9]{10}$/, 'must be the 10 capitals and digits that Apple shows');
const bundleId = z
  .string('must be a text')
  .regex(/^[A-Za-z0-9.-]{1,155}$/, 'must be a bundle id such as com.example.app');
const appId = z
  .string('must be a text')
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, dots and dashes');
const pushOrigin = z
  .string('must be a text')
  .toLowerCase()
  .refine(isHttpsOrigin, 'must look like https://ntfy.example or https://ntfy.example:8443, or be *');
const secret = z.string('must be a text').min(1, 'must not be empty').max(16_384, 'is too long');
const testPort = z
  .int('must be a port number')
  .min(1, 'must be 1 or more')
  .max(65_535, 'must be 65535 or less');

const app = z.strictObject({
  id: appId,
  title: shown(MAX_TITLE_CHARS).optional(),
  text: shown(MAX_TEXT_CHARS).optional(),
  quietText: shown(MAX_TEXT_CHARS).optional(),
  category: shown(MAX_CATEGORY_CHARS).optional(),
  apnsTopic: bundleId.optional(),
  apnsKeyFile: path.optional(),
  apnsKeyId: appleId.optional(),
  apnsTeamId: appleId.optional(),
  fcmServiceAccountFile: path.optional(),
});

/** One app of several: what it leaves out is taken from the settings of the same names. */
export type PushAppInput = z.output<typeof app>;

const testGateways = z.strictObject({
  ca: path,
  apnsPort: testPort,
  apnsSandboxPort: testPort,
  fcmPort: testPort,
  fcmOauthPort: testPort,
});

export type TestGateways = z.output<typeof testGateways>;

const json = <S extends z.ZodType>(schema: S, help: string): Setting<S> => ({ schema, kind: 'json', help });

export const PUSH_SETTINGS = {
  pushTitle: text(
    shown(MAX_TITLE_CHARS).default('Countersign'),
    'title of a push until the phone decrypts it',
  ),
  pushText: text(shown(MAX_TEXT_CHARS).default('Action required'), 'and its text'),
  pushQuietText: text(
    shown(MAX_TEXT_CHARS).default('No action required any more'),
    'its text when the item was settled elsewhere',
  ),
  pushCategory: text(
    shown(MAX_CATEGORY_CHARS).optional(),
    "name of the iOS app's notification category with its buttons",
  ),
  apnsTopic: text(bundleId.optional(), 'bundle id of the iOS app; with a key it turns on push by Apple'),
  apnsKeyFile: text(path.optional(), "file with Apple's signing key (.p8)"),
  apnsKey: { ...text(secret.optional(), 'the text of that file in its place'), secret: true },
  apnsKeyId: text(appleId.optional(), 'id of that key'),
  apnsTeamId: text(appleId.optional(), 'id of the developer team'),
  fcmServiceAccountFile: text(
    path.optional(),
    "file with Google's service account (JSON); it turns on push by Google",
  ),
  fcmServiceAccount: { ...text(secret.optional(), 'the text of that file in its place'), secret: true },
  vapidSubject: text(
    z.string('must be a text').max(256, 'is too long').refine(isContact, CONTACT_PROBLEM).optional(),
    'mailto: or https: address where push services reach you; it turns on Web Push and UnifiedPush',
  ),
  vapidPrivateKeys: {
    schema: z.array(secret, 'must be a list').min(1, 'must not be empty').optional(),
    kind: 'list',
    help: 'Web Push keys (base64url), the present one first; without them one is made and kept beside the data file',
    secret: true,
  },
  pushOrigins: list(
    pushOrigin,
    'push services for Web Push and UnifiedPush besides those of the browsers; * is any on port 443',
  ),
  pushApps: json(
    z.array(app, 'must be a list of apps in JSON').default([]),
    'several apps: a JSON list of {id, title, text, quietText, category, apnsTopic, apnsKeyFile, apnsKeyId, apnsTeamId, fcmServiceAccountFile}',
  ),
  pushTestGateways: json(
    testGateways.optional(),
    'for people who build apps: push to local gateways, {ca, apnsPort, apnsSandboxPort, fcmPort, fcmOauthPort} in JSON',
  ),
} as const satisfies Readonly<Record<string, Setting>>;

/** Apple refuses every push of a sender at localhost. */
function isContact(value: string): boolean {
  const url = parseUrl(value);
  if (url === undefined) return false;
  const { protocol, hostname, pathname } = url;
  const host = protocol === 'mailto:' ? (/^[^@\s]+@([^@\s]+)$/.exec(pathname)?.[1] ?? '') : hostname;
  if (protocol !== 'mailto:' && protocol !== 'https:') return false;
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]+$/i.test(host) && !/\.localhost$/i.test(host);
}

function isHttpsOrigin(value: string): boolean {
  if (value === '*') return true;
  const url = parseUrl(value);
  return url?.protocol === 'https:' && url.origin === value;
}
