import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ground = ['core', 'platform', 'money', 'work', 'serving', 'operate', 'manage', 'app'] as const;

/** The wings of `src`, and those that each may import besides itself. */
const wings: Readonly<Record<string, readonly string[]>> = {
  core: [],
  platform: ['core'],
  money: ['platform', 'core'],
  work: ['money', 'platform', 'core'],
  serving: ['work', 'money', 'platform', 'core'],
  operate: ['serving', 'work', 'money', 'platform', 'core'],
  manage: ['operate', 'serving', 'work', 'money', 'platform', 'core'],
  cli: ground,
  app: ground,
};

/** Inside these wings each folder has a row: the folders beside it and the wings that it may import. */
const inside: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  money: {
    requests: ['platform', 'core'],
    catalog: ['platform', 'core'],
    billing: ['requests', 'platform', 'core'],
    accounts: ['billing', 'platform', 'core'],
    documents: ['accounts', 'billing', 'platform', 'core'],
    payments: ['billing', 'documents', 'platform', 'core'],
    codes: ['accounts', 'billing', 'platform', 'core'],
  },
  serving: {
    http: ['core'],
    upstreams: ['platform', 'core'],
    routing: ['upstreams', 'platform', 'core'],
    inference: ['routing', 'money', 'core'],
    surfaces: ['http', 'inference', 'work', 'money', 'platform', 'core'],
    'fast-path': ['http', 'surfaces', 'inference', 'routing', 'upstreams', 'money', 'core'],
  },
};

interface Package {
  readonly name: string;
  /** The other packages that it may import. */
  readonly mayImport: readonly string[];
  /** The wings that may import it; all if left out. */
  readonly users?: readonly string[];
}

/** The packages beside `src`, by their folders. They import nothing of `src`. */
const packages: Readonly<Record<string, Package>> = {
  'packages/formats': { name: 'chat-formats', mayImport: [] },
  'packages/figures': { name: 'chat-gateway-figures', mayImport: ['chat-formats'] },
  'packages/conform': { name: 'chat-gateway-conform', mayImport: ['chat-formats'], users: ['cli'] },
  'packages/import': {
    name: 'chat-gateway-import',
    mayImport: ['chat-formats', 'chat-gateway-figures'],
    users: ['cli', 'manage'],
  },
  // Of the gateway it has the types of its APIs, which `scripts/wire-types.ts` generates.
  'packages/dashboard': {
    name: 'chat-gateway-dashboard',
    mayImport: ['chat-formats', 'chat-gateway-figures'],
    users: [],
  },
};

/** These packages are pure: bytes and text in, values out. */
const pure = ['packages/formats', 'packages/figures'];

export interface SourceFile {
  /** Relative to its root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Returns a message for every import that the tables do not allow, and for every impure import of a pure package. */
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
  if (!target.startsWith('.')) return judgePackage(path, target);
  const to = placeOf(join(dirname(path), target));
  if (from.wing === to.wing && from.folder === to.folder) return [];
  const allowed = inside[from.wing]?.[from.folder] ?? wings[from.wing] ?? [];
  if (allowed.includes(from.wing === to.wing ? to.folder : to.wing)) return [];
  return [`${path} imports ${target}, but may import only ${allowed.join(', ') || 'packages'}`];
}

/** An import by name: of a package of this project, of Node, or of an installed package. */
function judgePackage(path: string, target: string): string[] {
  const { wing } = placeOf(path);
  if (pure.includes(wing) && target.startsWith('node:')) return [`${path} imports ${target}, but ${wing} is pure`];
  const imported = Object.values(packages).find(({ name }) => target === name || target.startsWith(`${name}/`));
  if (imported === undefined) return [];
  const importer = packages[wing];
  const isAllowed = importer ? importer.mayImport.includes(imported.name) : (imported.users?.includes(wing) ?? true);
  return isAllowed ? [] : [`${path} imports ${target}, but ${wing} may not`];
}

interface Place {
  readonly wing: string;
  /** Empty if the folders of its wing have no rows. */
  readonly folder: string;
}

function placeOf(path: string): Place {
  const [root = '', wing = '', folder = ''] = path.split('/');
  if (root !== 'src') return { wing: `${root}/${wing}`, folder: '' };
  return { wing, folder: wing in inside ? folder : '' };
}
