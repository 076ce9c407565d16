/** Pairing at a terminal: link, QR if it fits, the typed code. */
import { createInterface } from 'node:readline/promises';
import type { Agent, PairingSession } from '@countersign/agent-sdk';

type Say = (line: string) => void;

const FOR_PHONES = 'No device is paired yet. Scan the code with a phone of this network, or open this there:';
const FOR_THIS_MACHINE = [
  'No device is paired yet. Open this in a browser of this machine, which is the phone then:',
  '(A real phone cannot: browsers give pages without https no cryptography. See --tls-cert in npm start -- --help.)',
].join('\n');

/** True when a device is paired and trusted. */
export async function pairAPhone(
  agent: Agent,
  reachesPhones: boolean,
  say: Say,
  signal: AbortSignal,
): Promise<boolean> {
  await agent.whenConnected({ timeoutMs: 10_000 });
  const session = await agent.startPairing();
  signal.addEventListener('abort', () => void session.stop(), { once: true });
  const qr = await session.qr('terminal');
  if (fits(qr)) say(`\n${qr}`);
  say(reachesPhones ? FOR_PHONES : FOR_THIS_MACHINE);
  say(`\n  ${session.link}\n`);
  say('Or let a second terminal be the phone:\n');
  say(`  npx --no countersign phone pair '${session.link}'\n`);
  for await (const device of session.devices()) {
    say(`A device (${device.platform}) came through the link. It shows a code.`);
    if (await confirmByCode(session, device.deviceId, say, signal)) {
      await whenTrusted(agent, device.deviceId, signal);
      return !signal.aborted;
    }
  }
  say('The pairing window closed. Start again to get a new link.');
  return false;
}

async function confirmByCode(
  session: PairingSession,
  deviceId: string,
  say: Say,
  signal: AbortSignal,
): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    for (;;) {
      const verdict = await session.confirm(deviceId, await terminal.question('Code: ', { signal }));
      if (verdict === 'ok') {
        say(
          'The code is right. Waiting for the device to connect; a terminal does so by: npx --no countersign phone watch',
        );
        return true;
      }
      say(verdict === 'wrong' ? 'That is not the code on the device. Look again.' : 'Too many misses.');
      if (verdict === 'closed') return false;
    }
  } catch {
    return false; // Ctrl-C, or the terminal went away
  } finally {
    terminal.close();
  }
}

/** Resolves when the device is trusted, or the person gave up. */
async function whenTrusted(agent: Agent, deviceId: string, signal: AbortSignal): Promise<void> {
  let stop: (() => void) | undefined;
  await new Promise<void>((resolve, reject) => {
    const look = async (): Promise<void> => {
      const device = (await agent.devices.list()).find((one) => one.deviceId === deviceId);
      if (device?.state === 'trusted') resolve();
    };
    stop = agent.on('device', () => void look().catch(reject));
    signal.addEventListener('abort', () => resolve(), { once: true });
    look().catch(reject);
  });
  stop?.();
}

function fits(qr: string): boolean {
  const width = Math.max(...qr.split('\n').map((line) => [...line].length));
  const { isTTY, columns, rows } = process.stdout;
  return isTTY === true && columns >= width && rows >= qr.split('\n').length;
}
