import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../src/operate/workers/free-port.ts';
import { eventually } from '../eventually.ts';
import { launcher } from '../gateways/launcher.ts';
import { processEnvironment } from '../gateways/process-environment.ts';

/** Loaded by every process. Holds the second worker until a file exists. */
const holding = `
const { existsSync } = require('node:fs');
const sleeper = new Int32Array(new SharedArrayBuffer(4));
if (process.env.NODE_UNIQUE_ID === '2') while (!existsSync(__dirname + '/go')) Atomics.wait(sleeper, 0, 0, 20);
`;

test('a gateway whose last worker starts is not ready, and carries out SIGUSR2 once it has started', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-starting-'));
  const hold = join(directory, 'hold.cjs');
  writeFileSync(hold, holding);
  const port = await freePort('127.0.0.1');
  const words = ['serve', '--workers', '2', '--host', '127.0.0.1', '--port', String(port)];
  const env = { ...processEnvironment, NODE_OPTIONS: `--require=${hold}` };
  const child = spawn(process.execPath, [launcher, ...words], { cwd: directory, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece));
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await closed;
    rmSync(directory, { recursive: true, force: true });
  });
  const readiness = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers: { connection: 'close' } });
    return { status: response.status, workers: ((await response.json()) as any).checks.workers };
  };

  await eventually(async () =>
    expect(await readiness()).toEqual({ status: 503, workers: 'The workers are starting.' }),
  );
  child.kill('SIGUSR2');
  await eventually(() => expect(output).toContain('Replacing the workers one by one.'));
  writeFileSync(join(directory, 'go'), '');
  await eventually(() => expect(output).toContain('All workers were replaced.'));
  expect(await readiness()).toEqual({ status: 200, workers: 'ok' });
});
