import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `npm test` runs the fast suite, `npm run test:deep` the deep one. Every test file runs in at least one of them. */
export type Suite = 'fast' | 'deep';

/** One vitest project. Its name starts with its suite, so `--project fast-*` selects a suite. */
export interface Project {
  readonly name: `${Suite}-${string}`;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** A new process for each file. Without it, the files of a project share processes and load the code once. */
  readonly isolate?: true;
  /** Its code only runs through Vite: it imports JSON and components. */
  readonly isBundled?: true;
  readonly env?: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '../..');

/** Test files that start gateways or commands as processes, or a database server. */
const slow = ['**/*.process.test.ts', '**/*.postgres.test.ts'];

const docs = ['scripts/*-docs.test.ts', 'scripts/handbook.test.ts'];

/**
 * These files replace the timers or the clock of their process, or list all modules that it has loaded. In a shared
 * process they would also run leftover timers of the previous file.
 */
const isolated = [
  'src/serving/routing/**/*.test.ts',
  'test/lazy-packages.test.ts',
  ...filesWith(['{src,packages/{formats,figures,conform,import},test/contract}/**/*.test.ts'], 'useFakeTimers('),
];

const simulator = ['test/simulator/**/*.test.ts'];
const keptSeeds = 'test/simulator/simulator.test.ts';
const mutants = 'test/simulator/mutants.test.ts';
const contract = ['test/{contract,fast-path,translation}/**/*.test.ts'];
/** Queries over several accounts: they run on both engines. */
const teams = ['test/contract/teams/*.test.ts'];
const architecture = 'test/architecture.test.ts';
const unit = ['{src,packages/{conform,figures,import},scripts,bench}/**/*.test.ts', architecture];
/** The wire formats, alone: `npm test -- packages/formats`. */
const formats = ['packages/formats/**/*.test.ts'];
const dashboard = ['packages/dashboard/src/**/*.test.ts'];

/** One test of the built package, and one journey in a browser. */
const smoke = ['test/package.test.ts', 'test/browser/owner-story.test.ts'];

const onSqlite = { TEST_ENGINES: 'sqlite' };
const onPostgres = { TEST_ENGINES: 'postgres' };
const deepEnv = { TEST_DEPTH: 'deep', ...onSqlite };

/** In the order in which they start: long files first, so that short ones fill the cores at the end. */
export const projects: readonly Project[] = [
  { name: 'fast-smoke', include: smoke },
  { name: 'fast-simulator', include: simulator, exclude: [mutants] },
  { name: 'fast-contract', include: contract, exclude: [...slow, ...isolated], env: onSqlite },
  { name: 'fast-isolated', include: isolated, exclude: slow, isolate: true, env: onSqlite },
  { name: 'fast-dashboard', include: dashboard, isBundled: true },
  { name: 'fast-formats', include: formats, exclude: isolated },
  { name: 'fast-unit', include: unit, exclude: [...slow, ...isolated, ...docs], env: onSqlite },

  {
    name: 'deep-processes',
    include: ['test/*.test.ts', 'test/{cluster,crash,deploy,faults}/**/*.test.ts', '**/*.process.test.ts'],
    exclude: [...isolated, architecture, ...smoke],
    isolate: true,
  },
  { name: 'deep-simulator', include: simulator, exclude: [keptSeeds], env: deepEnv, isolate: true },
  { name: 'deep-browser', include: ['test/browser/**/*.test.ts'], exclude: smoke },
  {
    name: 'deep-postgres',
    include: ['**/*.postgres.test.ts', ...filesWith([...unit, ...contract], 'forEachStore('), ...teams],
    env: onPostgres,
  },
  {
    name: 'deep-properties',
    include: filesWith([...unit, ...formats, ...contract], 'isDeep'),
    exclude: isolated,
    env: deepEnv,
  },
  { name: 'deep-isolated', include: filesWith(isolated, 'isDeep'), isolate: true, env: deepEnv },
  { name: 'deep-clients', include: ['test/clients/**/*.test.ts'] },
  { name: 'deep-docs', include: docs },
];

/**
 * The timeouts of a test. A passing test never reaches them: they only decide how soon a hanging one fails. A test of
 * the smoke project drives a browser or installs a package, which takes a minute if other programs use both cores. A
 * test of the deep simulator computes for up to half a minute, which took six minutes beside twenty busy processes.
 */
export function timeoutsOf(name: string): { readonly test: number; readonly poll: number } {
  if (name === 'deep-simulator') return { test: 1_800_000, poll: 120_000 };
  const isSlow = suiteOf(name) === 'deep' || name === 'fast-smoke';
  return isSlow ? { test: 300_000, poll: 120_000 } : { test: 60_000, poll: 50_000 };
}

export function suiteOf(name: string): Suite {
  return name.startsWith('fast-') ? 'fast' : 'deep';
}

function filesWith(patterns: readonly string[], text: string): string[] {
  return globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).filter((file) =>
    readFileSync(join(root, file), 'utf8').includes(text),
  );
}
