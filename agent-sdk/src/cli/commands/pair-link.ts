/** Shows a pairing window: link, code, image. Must not know who comes through it. */
import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { PairingSession } from '../../api.js';
import { CliError, EXIT } from '../exit-codes.js';
import { fittingQr } from '../qr-view.js';
import type { Context } from './context.js';

export interface LinkOptions {
  /** `json` prints the form original apps scan. */
  qr?: 'auto' | 'json' | 'none';
  png?: string;
}

export async function showLink(
  session: PairingSession,
  options: LinkOptions,
  context: Context,
): Promise<void> {
  const { terminal, io } = context;
  if (options.qr === 'json') {
    terminal.out(session.qrJson);
  } else {
    terminal.say('Open this link on the device that shall decide:\n');
    terminal.out(session.link);
    terminal.say('');
    if (options.qr !== 'none') await showQr(session, options, context);
  }
  if (options.png !== undefined) {
    const path = resolve(io.cwd, options.png);
    writePrivately(path, await session.qr('png'));
    terminal.say(`The code is also in ${path}; delete it afterwards.`);
  }
  if (options.qr !== 'json') terminal.say("To let a terminal be the phone: countersign phone pair 'LINK'");
}

/** As a new file: one that is there already may be open to others, or lead elsewhere. @throws CliError */
function writePrivately(path: string, bytes: Uint8Array): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path);
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const cause = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new CliError(EXIT.failed, `${path} cannot be written (${cause}); the link is void.`);
  }
}

async function showQr(
  session: PairingSession,
  { png }: LinkOptions,
  { terminal, io }: Context,
): Promise<void> {
  if (io.stdout.isTTY !== true) return;
  const qr = fittingQr(await session.qr('terminal'), io);
  if ('code' in qr) terminal.out(`Or scan this code:\n${qr.code}`);
  else if (png === undefined) {
    terminal.say(
      `This terminal is too small for the code (it needs ${qr.columns} columns and ${qr.rows} rows): enlarge it, or add --png FILE.`,
    );
  }
}
