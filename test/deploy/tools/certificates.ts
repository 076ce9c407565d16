/** A certificate authority of its own and a certificate for localhost, by the lines that the page on self-hosting gives. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../house/source-graph.js';

export interface Certificates {
  readonly ca: string;
  readonly chain: string;
  readonly key: string;
}

/** The fenced block of the page that begins with this comment line. */
export function blockOf(page: string, firstLine: string): string {
  const text = readFileSync(join(root, page), 'utf8');
  const [, block] = text.split(`\`\`\`sh\n${firstLine}\n`);
  if (block === undefined) throw new Error(`${page} has no block "${firstLine}"`);
  return block.slice(0, block.indexOf('\n```'));
}

export function makeCertificates(dir: string): Certificates {
  const lines = blockOf('docs/self-hosting.md', '# A certificate of your own');
  execFileSync('sh', ['-euc', lines], {
    cwd: dir,
    env: { PATH: process.env.PATH, NAME: 'localhost' },
    stdio: 'pipe',
  });
  return { ca: join(dir, 'ca.pem'), chain: join(dir, 'fullchain.pem'), key: join(dir, 'key.pem') };
}
