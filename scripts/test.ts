import { spawn } from 'node:child_process';
import type { Suite } from '../test/suite/projects.ts';

// Usage: node scripts/test.ts fast|deep [PATH or vitest option]...
// Without a path, the checks of the suite run first. With one, only the tests that match it.
const [suite, ...options] = process.argv.slice(2);
if (suite !== 'fast' && suite !== 'deep') throw new Error(`Unknown suite: ${suite}. Use fast or deep.`);

const isReady = options.length > 0 || (await prepare(suite));
const isGreen = isReady && (await run('vitest', 'run', '--project', `${suite}-*`, ...options));
process.exitCode = isGreen ? 0 : 1;

/** Runs the checks, and builds the dashboard for the browser tests. Both run in parallel to use both cores. */
async function prepare(suite: Suite): Promise<boolean> {
  const results = await Promise.all([
    run(process.execPath, 'scripts/check.ts', suite),
    run('vite', 'build', 'packages/dashboard', '--logLevel', 'warn'),
  ]);
  return results.every(Boolean);
}

/** Runs a command with our standard output, and returns whether it succeeded. */
function run(command: string, ...args: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit' });
    child.on('error', (error) => {
      console.error(String(error));
      resolve(false);
    });
    child.on('close', (status) => resolve(status === 0));
  });
}
