/** Reads the workspace's own sources and says who imports whom. Knows syntax only, no rule. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export interface SourceFile {
  /** Path from the repository root, with forward slashes. */
  readonly path: string;
  /** Module specifiers as written; relative ones resolved to a path from the root. */
  readonly imports: readonly string[];
  /** Dotted member accesses on globals, such as `process.env`. */
  readonly globals: ReadonlySet<string>;
}

const WATCHED_OBJECTS = new Set(['process', 'console', 'Date', 'Math', 'globalThis']);

/** Every source below `folder`, tests, their fixtures and declarations left out. */
export function readSources(folder: string): SourceFile[] {
  return listFiles(folder).map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')));
}

export function parseSource(path: string, text: string): SourceFile {
  const imports: string[] = [];
  const globals = new Set<string>();
  visit(parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' }), (node) => {
    const specifier = moduleSpecifier(node);
    if (specifier !== undefined) imports.push(resolveSpecifier(path, specifier));
    const access = globalAccess(node);
    if (access !== undefined) globals.add(access);
  });
  return { path, imports, globals };
}

type Node = Record<string, unknown> & { type: string };

function visit(node: unknown, see: (node: Node) => void): void {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, see);
  } else if (isNode(node)) {
    see(node);
    for (const value of Object.values(node)) visit(value, see);
  }
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

function moduleSpecifier(node: Node): string | undefined {
  const known = [
    'ImportDeclaration',
    'ExportNamedDeclaration',
    'ExportAllDeclaration',
    'ImportExpression',
    'TSImportType',
  ];
  if (!known.includes(node.type)) return undefined;
  const source = (node.source ?? node.argument) as
    | { value?: unknown; literal?: { value?: unknown } }
    | null
    | undefined;
  const value = source?.value ?? source?.literal?.value;
  return typeof value === 'string' ? value : undefined;
}

function globalAccess(node: Node): string | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  const object = node.object as { type: string; name?: string };
  const property = node.property as { type: string; name?: string };
  if (object.type !== 'Identifier' || object.name === undefined || !WATCHED_OBJECTS.has(object.name))
    return undefined;
  return property.type === 'Identifier' ? `${object.name}.${property.name}` : undefined;
}

function resolveSpecifier(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}

function listFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
    .filter((path) => /\.tsx?$/.test(path) && !/\.(test|fixtures|d)\.tsx?$/.test(path))
    .sort();
}
