import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defaultExclude, defineConfig } from 'vitest/config';
import { CostReporter } from './test/suite/cost-reporter.ts';
import { LongestFirst } from './test/suite/longest-first.ts';
import { projects, timeoutsOf } from './test/suite/projects.ts';

// Inherited by test processes and the gateways they start, which then load compiled code.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Node runs our TypeScript as it is; a second compiler would only cost time. */
const native = { viteModuleRunner: false, nodeLoader: false };

export default defineConfig({
  test: {
    globalSetup: ['test/suite/global-setup.ts'],
    reporters: ['default', new CostReporter()],
    // Two more than there are cores: a test often waits for a disk, a browser or another process.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    // A test that timed out prints what it was polling for.
    experimental: { ...native, traceTimeline: true },
    projects: projects.map(({ name, include, exclude = [], isolate = false, isBundled = false, env }) => {
      const { test, poll } = timeoutsOf(name);
      return {
        test: {
          name,
          include: [...include],
          exclude: [...defaultExclude, ...exclude],
          isolate,
          experimental: { ...native, viteModuleRunner: isBundled },
          pool: 'forks' as const,
          setupFiles: ['test/suite/measure-cpu.ts'],
          // Colours would change the texts that tests compare.
          env: { NO_COLOR: '1', TEST_POLL_MS: String(poll), ...env },
          testTimeout: test,
          hookTimeout: test,
          expect: { poll: { timeout: poll, interval: 20 } },
        },
      };
    }),
  },
});
