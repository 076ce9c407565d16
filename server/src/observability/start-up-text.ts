/** What the relay tells its operator when it starts. Pure text. */

export interface StartUpFacts {
  readonly url: string;
  readonly opsUrl?: string | undefined;
  readonly tls: 'own' | 'none_loopback' | 'none_allowed';
  readonly registration: 'invite' | 'allowlist' | 'open';
  readonly invite?: string | undefined;
  /** Made at this start: shown once. */
  readonly inviteIsNew: boolean;
  /** Undefined: memory. */
  readonly dataFile?: string | undefined;
  /** Providers with their apps, in words; empty: none is configured. */
  readonly push: readonly string[];
  /** Bound to loopback, yet a proxy seems to carry others here. */
  readonly isOpenBehindProxy: boolean;
}

const TLS = {
  own: 'TLS by this relay',
  none_loopback: 'no TLS (ws://), reachable from this machine only',
  none_allowed: 'no TLS (ws://) because allowInsecure is set: a proxy in front must end TLS',
} as const;

const SIGHT =
  'An operator can see public keys, push tokens, platforms, network addresses, and who talks to whom, when and ' +
  'how much; never what is said.';

export function startUpText(facts: StartUpFacts): string {
  return [
    `countersign-relay listens on ${facts.url}`,
    `  TLS           ${TLS[facts.tls]}`,
    ...(facts.opsUrl ? [`  monitoring    ${facts.opsUrl}/readyz and /metrics`] : []),
    `  registration  ${registrationText(facts)}`,
    `  data          ${facts.dataFile ?? 'memory: everything is lost when the relay stops'}`,
    `  push          ${facts.push.length > 0 ? facts.push.join(', ') : 'no push provider: WebSocket only'}`,
    `  ${SIGHT}`,
    '',
  ].join('\n');
}

function registrationText(facts: StartUpFacts): string {
  if (facts.registration === 'allowlist') return 'allowlist: agents listed in allowedAgents';
  if (facts.registration === 'invite') return `invite ${inviteText(facts)}`;
  return facts.isOpenBehindProxy
    ? 'open: anyone who reaches the proxy can register an agent; set registration to invite to prevent it'
    : 'open: anyone who reaches this relay can register an agent';
}

/** A kept invite is not repeated: what a relay prints is often collected. */
function inviteText({ invite, inviteIsNew, dataFile }: StartUpFacts): string {
  if (!inviteIsNew) return '(print it with: countersign-relay invite)';
  return dataFile === undefined ? `${invite}` : `${invite}  (print it again with: countersign-relay invite)`;
}
