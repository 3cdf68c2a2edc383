import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultExclude, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/services/longest-first.ts';

const everything = [
  'src/**/*.test.ts',
  'test/**/*.test.ts',
  'scripts/**/*.test.ts',
  'bench/**/*.test.ts',
  'dashboard/src/**/*.test.ts',
];

/** What needs a process of its own: it takes the clock's place, or measures, starts or kills what others have part in. */
const alone = [
  'src/routing/**/*.test.ts',
  'test/*.test.ts',
  'test/{cluster,crash,simulator}/**/*.test.ts',
  'test/faults/process.test.ts',
];

/** What looks at the dashboard shares the windows it does so through: each knows the dashboard's code already. */
const browser = ['test/browser/**/*.test.ts'];

const common = {
  // Whether a terminal wants colours must not decide what a test sees.
  env: { NO_COLOR: '1' },
  // How long something may take only matters when it never happens: a busy machine is no fault.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 120_000, interval: 20 } },
  pool: 'forks' as const,
};

// Inherited by the workers and by what they start: hundreds of processes load the same code, which is compiled once.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

export default defineConfig({
  test: {
    globalSetup: ['test/services/global-setup.ts'],
    // Three more than there are cores: a worker often waits for a browser, a database or a process of its own.
    maxWorkers: availableParallelism() + 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...common, name: 'alone', include: alone } },
      { test: { ...common, name: 'browser', include: browser, isolate: false } },
      // What leaves nothing behind in its process: to load all the code anew for each takes longer than most of them do.
      {
        test: {
          ...common,
          name: 'together',
          include: everything,
          exclude: [...defaultExclude, ...alone, ...browser],
          isolate: false,
        },
      },
    ],
  },
});
