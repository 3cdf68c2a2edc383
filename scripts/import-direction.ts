import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ground = ['core', 'formats', 'platform', 'money', 'work', 'serving', 'operate', 'manage', 'app'] as const;

/** The wings of `src`, and those that each may import besides itself. */
const wings: Readonly<Record<string, readonly string[]>> = {
  core: [],
  formats: ['core'],
  platform: ['core'],
  money: ['platform', 'core'],
  work: ['money', 'platform', 'core'],
  serving: ['work', 'money', 'platform', 'formats', 'core'],
  operate: ['serving', 'work', 'money', 'platform', 'formats', 'core'],
  manage: ['operate', 'serving', 'work', 'money', 'platform', 'formats', 'core'],
  cli: ground,
  app: ground,
};

/** Inside these wings each folder has a row: the folders beside it and the wings that it may import. */
const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  money: {
    requests: ['platform', 'core'],
    catalog: ['platform', 'core'],
    billing: ['platform', 'core'],
    accounts: ['billing', 'platform', 'core'],
    documents: ['accounts', 'billing', 'platform', 'core'],
    payments: ['billing', 'documents', 'platform', 'core'],
    codes: ['accounts', 'billing', 'platform', 'core'],
  },
  serving: {
    http: ['core'],
    upstreams: ['formats', 'platform', 'core'],
    routing: ['upstreams', 'platform', 'core'],
    inference: ['routing', 'formats', 'money', 'core'],
    surfaces: ['http', 'inference', 'formats', 'work', 'money', 'platform', 'core'],
    'fast-path': ['http', 'surfaces', 'inference', 'routing', 'upstreams', 'formats', 'money', 'core'],
  },
};

/** A package imports nothing of `src`, except the wings that are listed here. */
const packages: Readonly<Record<string, readonly string[]>> = { conform: ['core'] };

/** The packages that a wing imports. */
const packageUsers: Readonly<Record<string, readonly string[]>> = { conform: ['cli'] };

/** Wire formats are pure: bytes and text in, values out. */
const pure = 'formats';

export interface SourceFile {
  /** Relative to its root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Returns a message for every import that the tables do not allow, and for every impure import of a wire format. */
export function importViolations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap((file) => importsOf(file.text).flatMap((target) => judge(file.path, target)));
}

/** The files that `importViolations` judges. Their paths are relative to the project. */
export function layeredFiles(): readonly SourceFile[] {
  return ['src', ...Object.keys(packages)].flatMap((root) =>
    sourceFiles(root).map(({ path, text }) => ({ path: `${root}/${path}`, text })),
  );
}

export function sourceFiles(root: string): readonly SourceFile[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$|(?:^|\/)(?:dist|node_modules)\//.test(name))
    .map((name) => ({ path: name, text: readFileSync(join(root, name), 'utf8') }));
}

/** The import specifiers of a file, as written. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)].map((match) => match[1] ?? '');
}

function judge(path: string, target: string): string[] {
  const from = placeOf(path);
  if (!target.startsWith('.')) {
    const isImpure = from.wing === pure && target.startsWith('node:');
    return isImpure ? [`${path} imports ${target}, but wire formats are pure`] : [];
  }
  const to = placeOf(join(dirname(path), target));
  if (from.wing === to.wing && from.folder === to.folder) return [];
  const allowed = allowedFor(from);
  const name = from.wing === to.wing ? to.folder : to.wing;
  if (allowed.includes(name) || (packageUsers[to.wing] ?? []).includes(from.wing)) return [];
  return [`${path} imports ${target}, but may import only ${allowed.join(', ') || 'nothing'}`];
}

interface Place {
  readonly wing: string;
  /** Empty if the folders of its wing have no rows. */
  readonly folder: string;
}

function placeOf(path: string): Place {
  const [root = '', wing = '', folder = ''] = path.split('/');
  if (root !== 'src') return { wing: root, folder: '' };
  return { wing, folder: wing in inside ? folder : '' };
}

function allowedFor({ wing, folder }: Place): readonly string[] {
  return inside[wing]?.[folder] ?? wings[wing] ?? packages[wing] ?? [];
}
