/** Directories and files that only their owner may read. Must not know what they hold. */
import { constants } from 'node:fs';
import { mkdir, open, stat } from 'node:fs/promises';
import { CountersignError } from '@countersign/protocol';

const CHECKS_MODES = process.platform !== 'win32';

/** Creates the directory 0700, or accepts one that nobody else may enter. @throws CountersignError `state_permissions`. */
export async function openDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    const cause = (error as NodeJS.ErrnoException).code ?? 'unknown';
    throw new CountersignError('state_permissions', `${directory} cannot be made (${cause}).`, {
      details: { cause },
    });
  });
  const info = await stat(directory);
  if (!info.isDirectory())
    throw new CountersignError('state_permissions', `${directory} is not a directory.`);
  refuseWider(directory, info.mode, 0o700);
}

/** The text of a file, undefined when there is none. @throws CountersignError `state_permissions` when others may read it. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return undefined;
    throw new CountersignError('state_permissions', `${path} cannot be opened (${code ?? 'unknown'}).`);
  });
  if (file === undefined) return undefined;
  try {
    refuseWider(path, (await file.stat()).mode, 0o600);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

function refuseWider(path: string, mode: number, allowed: number): void {
  if (!CHECKS_MODES || (mode & 0o077) === 0) return;
  const octal = (mode & 0o777).toString(8).padStart(4, '0');
  throw new CountersignError(
    'state_permissions',
    `${path} has mode ${octal}, so others on this computer may read it. Run: chmod ${allowed.toString(8)} ${path}`,
  );
}
