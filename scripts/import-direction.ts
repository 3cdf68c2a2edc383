import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * The folders of `src` that a folder may import besides itself. `main.ts` and `cli` may import all. A sub-folder with a
 * row of its own is a folder of its own.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  http: ['core'],
  config: ['core', 'dialects'],
  dialects: ['core'],
  store: ['core'],
  cluster: ['core', 'store'],
  'notifications/outbox': ['core', 'store'],
  accounts: ['core', 'config', 'store', 'cluster', 'billing', 'notifications/outbox'],
  backup: ['core', 'store', 'accounts'],
  catalog: ['core', 'config', 'store', 'cluster'],
  blobs: ['core', 'store', 'catalog'],
  bodies: ['core', 'store', 'catalog', 'blobs'],
  files: ['core', 'store', 'catalog', 'blobs'],
  'batches/outcome': ['core', 'store'],
  requests: ['core', 'store', 'notifications/outbox'],
  responses: ['core', 'store', 'blobs'],
  billing: ['core', 'config', 'store', 'cluster', 'notifications/outbox', 'batches/outcome'],
  batches: ['core', 'store', 'catalog', 'blobs', 'files', 'billing', 'notifications/outbox', 'batches/outcome'],
  documents: ['core', 'config', 'store', 'accounts', 'billing'],
  payments: ['core', 'config', 'store', 'billing', 'documents', 'notifications/outbox'],
  codes: ['core', 'store', 'accounts', 'billing'],
  upstreams: ['core', 'config', 'dialects'],
  routing: ['core', 'config', 'cluster', 'upstreams'],
  guarantees: ['core'],
  inference: ['core', 'billing', 'catalog', 'requests', 'routing', 'guarantees'],
  surfaces: [
    'core',
    'http',
    'store',
    'cluster',
    'dialects',
    'billing',
    'accounts',
    'bodies',
    'catalog',
    'files',
    'batches',
    'requests',
    'responses',
    'inference',
  ],
  'fast-path': [
    'core',
    'http',
    'dialects',
    'billing',
    'accounts',
    'catalog',
    'routing',
    'upstreams',
    'guarantees',
    'inference',
    'surfaces',
  ],
  admin: [
    'core',
    'config',
    'http',
    'store',
    'cluster',
    'accounts',
    'bodies',
    'files',
    'batches',
    'catalog',
    'requests',
    'responses',
    'billing',
    'documents',
    'payments',
    'codes',
    'upstreams',
    'routing',
    'inference',
    'surfaces',
    'notifications',
  ],
  console: [
    'core',
    'config',
    'http',
    'store',
    'cluster',
    'accounts',
    'catalog',
    'requests',
    'billing',
    'surfaces',
    'notifications',
    'admin',
  ],
  importers: ['core', 'config', 'store', 'cluster', 'accounts', 'catalog', 'billing', 'upstreams'],
  telemetry: ['core', 'http', 'requests', 'routing'],
  notifications: [
    'core',
    'config',
    'store',
    'accounts',
    'catalog',
    'requests',
    'billing',
    'upstreams',
    'routing',
    'telemetry',
    'notifications/outbox',
  ],
  workers: ['core', 'config', 'cluster', 'requests', 'surfaces', 'telemetry'],
};

/**
 * The packages beside `src`, and the folders of `src` that each may import. The conformance suite tests a deployment from
 * outside. Only `cli` may import a package.
 */
const packages: Readonly<Record<string, readonly string[]>> = { conform: ['core', 'config', 'cli'] };

/**
 * The folder that assembles parts for `main.ts`. It may import every folder of the table; none of them may import it.
 */
const aboveAllFloors = 'gateway';

/** Dialects are pure: bytes and text in, values out. They may import only these built-in modules. */
const pureBuiltIns = new Set(['node:buffer', 'node:string_decoder']);

export interface SourceFile {
  /** Relative to its root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Returns a message for every import that the table does not allow, and for every impure import of a dialect. */
export function importViolations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => importsOf(file.text).flatMap((target) => judge(file.path, target)));
}

/** The files that `importViolations` judges. Their paths are relative to `src`. */
export function layeredFiles(): readonly SourceFile[] {
  const beside = Object.keys(packages).flatMap((name) =>
    sourceFiles(name).map(({ path, text }) => ({ path: `../${name}/${path}`, text })),
  );
  return [...sourceFiles('src'), ...beside];
}

export function sourceFiles(root: string): readonly SourceFile[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => ({ path: name, text: readFileSync(join(root, name), 'utf8') }));
}

/** The import specifiers of a file, as written. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map((match) => match[1] ?? '');
}

function judge(path: string, target: string): string[] {
  const folder = folderOf(path);
  if (folder === undefined || folder === 'cli') return [];
  if (!target.startsWith('.')) {
    const isImpure = folder === 'dialects' && target.startsWith('node:') && !pureBuiltIns.has(target);
    return isImpure ? [`${path} imports ${target}, but dialects are pure`] : [];
  }
  const other = folderOf(relative('.', join(dirname(path), target)));
  if (other === folder) return [];
  if (other !== undefined && mayImportFrom(folder, other)) return [];
  return [`${path} imports ${target}, but ${folder} may import only ${allowedFor(folder).join(', ') || 'nothing'}`];
}

function mayImportFrom(folder: string, other: string): boolean {
  return folder === aboveAllFloors ? other in mayImport : allowedFor(folder).includes(other);
}

function allowedFor(folder: string): readonly string[] {
  return mayImport[folder] ?? packages[folder] ?? [];
}

function folderOf(path: string): string | undefined {
  const [first = '', second = '', ...rest] = path.replace(/^\.\.\/(?:src\/)?/, '').split('/');
  if (rest.length > 0 && `${first}/${second}` in mayImport) return `${first}/${second}`;
  return second === '' ? undefined : first;
}
