/** The schema of record, pinned by number, and the generated code against it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DescField } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { file_relay } from './gen/relay_pb.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BUF = join(ROOT, 'node_modules/.bin/buf');
const GENERATED = 'protocol/src/frames/gen/relay_pb.ts';

function typeOf(field: DescField): string {
  if (field.fieldKind === 'list')
    return `repeated ${field.listKind === 'scalar' ? SCALARS[field.scalar] : '?'}`;
  if (field.fieldKind === 'message') return field.message.name;
  if (field.fieldKind === 'enum') return field.enum.name;
  return field.fieldKind === 'scalar' ? (SCALARS[field.scalar] ?? '?') : '?';
}

const SCALARS: Record<number, string> = { 4: 'uint64', 8: 'bool', 9: 'string', 12: 'bytes', 13: 'uint32' };

describe('relay.proto', () => {
  it('has the package of the compatible family', () => {
    expect(file_relay.proto.package).toBe('skald.relay.v2');
  });

  it('has exactly these messages, fields, numbers and types', () => {
    const messages = file_relay.messages.map((message) => [
      message.name,
      message.fields.map((field) => `${field.number} ${field.name} ${typeOf(field)}`),
    ]);
    expect(Object.fromEntries(messages)).toEqual({
      RelayFrame: [
        '1 challenge Challenge',
        '2 auth Auth',
        '3 auth_ok AuthOk',
        '4 auth_error AuthError',
        '5 authorize Authorize',
        '6 authorize_ok AuthorizeOk',
        '7 pairing_start PairingStart',
        '8 pairing_ready PairingReady',
        '9 pairing_stop PairingStop',
        '10 pairing_stop_ok PairingStopOk',
        '11 client_paired ClientPaired',
        '12 message Message',
        '13 peer_offline PeerOffline',
        '14 presence_request PresenceRequest',
        '15 presence_list PresenceList',
        '16 presence_event PresenceEvent',
        '17 error Error',
        '32 accepted Accepted',
        '33 received Received',
        '34 push_report PushReport',
      ],
      Challenge: ['1 nonce bytes'],
      Auth: [
        '1 agent AgentRole',
        '2 client ClientRole',
        '3 pairing PairingRole',
        '4 signature bytes',
        '16 capabilities repeated string',
        '17 invite string',
      ],
      AgentRole: ['1 agent_ed25519_pub bytes'],
      ClientRole: [
        '1 namespace_id bytes',
        '2 client_ed25519_pub bytes',
        '3 device_token string',
        '4 platform Platform',
        '16 app string',
      ],
      PairingRole: [
        '1 namespace_id bytes',
        '2 client_ed25519_pub bytes',
        '3 client_x25519_pub bytes',
        '4 pairing_token bytes',
        '5 device_token string',
        '6 platform Platform',
        '16 app string',
      ],
      AuthOk: ['1 namespace_id bytes', '16 capabilities repeated string', '17 push_handle bytes'],
      AuthError: ['1 code string', '2 message string'],
      Authorize: ['1 clients repeated bytes'],
      AuthorizeOk: ['1 authorized uint32'],
      PairingStart: ['1 pairing_token bytes', '2 ttl uint32'],
      PairingReady: ['1 ttl uint32'],
      PairingStop: [],
      PairingStopOk: [],
      ClientPaired: [
        '1 client_ed25519_pub bytes',
        '2 client_x25519_pub bytes',
        '3 platform Platform',
        '16 window bytes',
      ],
      Message: [
        '1 ciphertext bytes',
        '2 nonce bytes',
        '3 peer bytes',
        '4 live bool',
        '16 ref uint64',
        '17 push PushHints',
        '18 seq uint64',
      ],
      PushHints: ['1 collapse bytes', '2 ttl_ms uint64', '3 intent PushIntent'],
      PeerOffline: ['1 peer bytes', '16 ref uint64'],
      PresenceRequest: [],
      PresenceList: ['1 online repeated bytes'],
      PresenceEvent: ['1 pubkey bytes', '2 status PresenceStatus'],
      Error: ['1 code string', '2 message string', '16 ref uint64'],
      Accepted: ['1 ref uint64'],
      Received: ['1 seq uint64'],
      PushReport: ['1 ref uint64', '2 peer bytes', '3 outcome string', '4 detail string'],
    });
  });

  it('keeps members 18 and 19 free', () => {
    const ranges = file_relay.messages[0]?.proto.reservedRange.map(({ start, end }) => [start, end]);
    expect(ranges).toEqual([
      [18, 19],
      [19, 20],
    ]);
  });

  it('generates the code that is committed', (context) => {
    if (!existsSync(BUF)) context.skip('buf is not installed on this machine');
    const out = mkdtempSync(join(tmpdir(), 'countersign-gen-'));
    try {
      const template = 'protocol/proto/buf.gen.yaml';
      execFileSync(BUF, ['generate', 'protocol/proto', '--template', template, '-o', out], { cwd: ROOT });
      expect(readFileSync(join(out, GENERATED), 'utf8')).toBe(readFileSync(join(ROOT, GENERATED), 'utf8'));
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});
