/** The documentation against the program: tables that must be whole, marks and links that must lead somewhere. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ERRORS, FEATURES } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { EXIT_HELP } from '../../agent-sdk/src/cli/exit-codes.js';
import { createProgram } from '../../agent-sdk/src/cli/program.js';
import { EXIT_HELP as PHONE_EXIT_HELP } from '../../client-sdk/src/cli/exit-codes.js';
import { buildProgram } from '../../client-sdk/src/cli/program.js';
import { settingsHelp } from '../../server/src/config/index.js';
import { SETTINGS } from '../../server/src/config/settings.js';
import { root } from './source-graph.js';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Rows of a Markdown table whose first cell is `code`, as lists of cells. */
function rowsOf(path: string, heading: string): string[][] {
  const [, after = ''] = read(path).split(`\n${heading}\n`);
  const [table = ''] = after.trimStart().split('\n\n');
  return table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

it('the table of settings has each setting with its variable, default and meaning', () => {
  const help = settingsHelp().split('\n');
  const expected = Object.keys(SETTINGS).map((name, at) => {
    const [, variable = '', standard] =
      /^ *COUNTERSIGN_RELAY_(\S+)(?: \((.*)\))?$/.exec(help[2 * at] ?? '') ?? [];
    const value = standard === undefined ? '–' : `\`${standard}\``;
    return [`\`${name}\``, `\`${variable}\``, value, (help[2 * at + 1] ?? '').trim()];
  });
  const heading = '| setting | variable | default | meaning |';
  expect(rowsOf('docs/relay.md', heading)).toEqual(expected);
});

it('the table of errors has each code with what the catalogue says of it, and says what to do', () => {
  const heading = '| code | fault | retry | close | HTTP | log | what it means, what to do |';
  const rows = rowsOf('docs/errors.md', heading);
  const expected = Object.entries(ERRORS).map(([code, { fault, retry, closeCode, httpStatus, logLevel }]) =>
    [`\`${code}\``, fault, retry, closeCode ?? '–', httpStatus, logLevel].map(String),
  );
  expect(rows.map((row) => row.slice(0, 6))).toEqual(expected);
  expect(rows.filter(([, , , , , , meaning = '']) => meaning.length < 10)).toEqual([]);
});

it('the exit codes of both commands are there word for word', () => {
  const page = read('docs/command.md');
  for (const help of [EXIT_HELP, PHONE_EXIT_HELP]) expect(page).toContain(`\`\`\`\n${help.trim()}\n\`\`\``);
});

it('every command and option is named', () => {
  const words = new Set(read('docs/command.md').match(/[a-z-]+/g));
  const nobody = {} as never;
  const programs = [createProgram(nobody, '0.0.0', () => {}), buildProgram(nobody, () => {})];
  const commands = programs.flatMap((program) => [program, ...program.commands]);
  const names = commands.flatMap((command) => [
    command.name(),
    ...command.options.filter(({ hidden }) => !hidden).map(({ long }) => long ?? ''),
  ]);
  expect(names.filter((name) => !words.has(name) && name !== '--version')).toEqual([]);
});

it('features are listed in the order of their bits', () => {
  expect(read('docs/protocol/03-payloads.md').replaceAll(/\s+/g, ' ')).toContain(
    FEATURES.map((name) => `\`${name}\``).join(', '),
  );
});

/** Names of all members that a file of public types declares. */
function publicNames(path: string): string[] {
  const text = read(path).replaceAll(/\/\*[\s\S]*?\*\//g, '');
  const members = [...text.matchAll(/^ {2,}(?:\| )?\{?\s*(?:readonly )?([a-z][a-zA-Z]*)\??[(:<]/gm)];
  return [...new Set(members.map(([, name = '']) => name))];
}

it.each([
  ['agent-sdk/src/api.ts', 'docs/agent-sdk.md'],
  ['client-sdk/src/api.ts', 'docs/client-sdk.md'],
])('every member of %s is in %s', (types, page) => {
  const words = new Set(read(page).match(/[a-zA-Z]+/g));
  expect(publicNames(types).filter((name) => !words.has(name))).toEqual([]);
});

const SOURCES = ['protocol', 'server', 'agent-sdk', 'client-sdk', 'deploy', 'test', 'docs', 'web'];
const SKIPPED = new Set(['node_modules', 'dist', 'gen', 'vectors']);

function filesBelow(folder: string, ending: RegExp): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : filesBelow(path, ending);
    return ending.test(entry.name) ? [path] : [];
  });
}

/** Marks such as `01 §3`, `01 §3, §4`, `03 §1–§3`, each as document and section; of `01 §3.1` the section alone. */
function marksIn(text: string): string[] {
  const found = text.matchAll(/\b(0\d) ((?:§\d+(?:\.\d+)?(?:, |–| and | to )?)+)/g);
  return [...found].flatMap(([, document = '', sections = '']) =>
    [...sections.matchAll(/§(\d+)/g)].map(([, section]) => `${document} §${section}`),
  );
}

function documentedSections(): Set<string> {
  const sections = filesBelow('docs/protocol', /^0\d-.*\.md$/).flatMap((path) => {
    const document = path.slice('docs/protocol/'.length).slice(0, 2);
    return [...read(path).matchAll(/^## (\d+)\. /gm)].map(([, section]) => `${document} §${section}`);
  });
  return new Set(sections);
}

it('every section that a comment or a page cites exists', () => {
  const sections = documentedSections();
  const cited = SOURCES.flatMap((folder) => filesBelow(folder, /\.(ts|tsx|mjs|proto|md)$/)).flatMap((path) =>
    marksIn(read(path)).map((mark) => ({ mark, path })),
  );
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter(({ mark }) => !sections.has(mark))).toEqual([]);
});

it('every link of a page leads to a file', () => {
  const pages = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md', ...filesBelow('docs', /\.md$/)];
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter(
        (target) => statSync(join(root, dirname(page), target), { throwIfNoEntry: false }) === undefined,
      )
      .map((target) => `${page} → ${target}`),
  );
  expect(broken).toEqual([]);
});
