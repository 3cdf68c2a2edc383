import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'test/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
      'dashboard/src/**/*.test.ts',
    ],
    globalSetup: ['test/services/global-setup.ts'],
    // Whether a terminal wants colours must not decide what a test sees.
    env: { NO_COLOR: '1' },
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
