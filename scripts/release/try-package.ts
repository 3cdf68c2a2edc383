import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * Installs a packed gateway in an empty folder, starts it there, runs the contract tests against it, and requests the
 * first page of its documentation. Throws if one of them fails.
 */
export async function tryPackage(packed: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-package-'));
  mkdirSync(join(folder, 'home'));
  const there = { cwd: join(folder, 'home'), env: { PATH: process.env['PATH'], HOME: folder } };
  let child: ChildProcess | undefined;
  try {
    execFileSync('npm', ['install', '--silent', '--offline', packed], there);
    child = spawn('npx', ['chat-gateway', 'serve', '--port', '0'], {
      ...there,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
    const [address, key] = await firstWords(child);
    execFileSync('npx', ['chat-gateway', 'conform', address, '--key', key], {
      ...there,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const { status } = await fetch(`${address}/docs/start/run`);
    if (status !== 200) throw new Error(`${packed} has no documentation: /docs/start/run returned ${status}.`);
    stop(child);
    await once(child, 'exit');
  } finally {
    if (child?.exitCode === null && child.signalCode === null) stop(child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** npx does not forward signals, so the signal goes to the whole process group. */
function stop({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGTERM');
}

/** Reads the address and the API key from the output of a first start. */
export async function firstWords({ stdout }: ChildProcess): Promise<readonly [address: string, key: string]> {
  let address = '';
  if (stdout === null) throw new Error('The gateway has no standard output.');
  for await (const line of createInterface({ input: stdout })) {
    address = /^address +(\S+)/.exec(line)?.[1] ?? address;
    const key = /API key, shown only once: (\S+)/.exec(line)?.[1];
    if (key === undefined) continue;
    stdout.resume();
    return [address, key];
  }
  throw new Error('The gateway exited before it printed its API key.');
}
