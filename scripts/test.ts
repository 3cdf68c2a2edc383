import { spawn } from 'node:child_process';

/** Runs a command before the reader's eyes; whether it went well. */
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

/** The checks and the files that browser tests look at do not need each other, so both cores have something to do. */
const prepared = await Promise.all([
  run(process.execPath, 'scripts/check.ts'),
  run('vite', 'build', 'dashboard', '--logLevel', 'warn'),
]);
const isFine = prepared.every(Boolean) && (await run('vitest', 'run', ...process.argv.slice(2)));
process.exitCode = isFine ? 0 : 1;
