/**
 * Compiles the Kotlin code of this folder and checks it against the published vectors. Needs `kotlinc` and a JDK of 11 or
 * later, and org.json as a jar, which Android has built in: on Debian `apt install kotlin libandroid-json-org-java`.
 *
 *     node docs/push/native/check/check.mjs [/path/to/org-json.jar]
 *
 * Ends with 0 when everything holds, 1 when something does not, 3 when a program is missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const code = dirname(here);
const vectors = join(code, '../../../protocol/vectors/relay-v2.json');
const json = [process.argv[2], '/usr/share/java/json-android.jar', '/usr/share/java/json.jar'].find(
  (path) => path !== undefined && existsSync(path),
);

function run(program, args) {
  const { error, status } = spawnSync(program, args, { stdio: 'inherit' });
  if (error === undefined) return status ?? 1;
  console.error(`${program} cannot be run: ${error.code}`);
  return 3;
}

function check(classes) {
  if (json === undefined) {
    console.error('No jar with org.json: name one, or apt install libandroid-json-org-java');
    return 3;
  }
  const sources = [code, here].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.kt'))
      .map((name) => join(folder, name)),
  );
  const jar = join(classes, 'check.jar');
  const compiled = run('kotlinc', ['-cp', json, ...sources, '-include-runtime', '-d', jar]);
  if (compiled !== 0) return compiled;
  return run('java', ['-cp', `${jar}:${json}`, 'countersign.push.CheckKt', vectors]);
}

const classes = mkdtempSync(join(tmpdir(), 'countersign-kotlin-'));
try {
  process.exitCode = check(classes);
} finally {
  rmSync(classes, { recursive: true, force: true });
}
