import { spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { processEnvironment } from '../../../../test/gateways/process-environment.ts';

/** Runs a process that logs more than a pipe holds and then exits with code 3. Returns its exit code. */
async function endOf(log: string, ending: string): Promise<number | null> {
  const script = `
    import fs from 'node:fs';
    const { promise: refused, resolve } = Promise.withResolvers();
    const { write } = fs;
    fs.write = (fd, bytes, done) =>
      write(fd, bytes, (error, count) => {
        done(error, count);
        if (error) resolve();
      });
    const { openLog } = await import(${JSON.stringify(new URL('log.ts', import.meta.url).href)});
    const { log, close } = openLog({ level: 'info', format: 'json' });
    for (let line = 0; line < 100; line += 1) log.info('x'.repeat(4000));
    // A write has failed, so the log has noticed that its stream accepts no bytes.
    await refused;
    ${ending}
    process.exit(3);`;
  const stderr = openSync(log, 'r+');
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: processEnvironment,
    stdio: ['ignore', 'inherit', stderr],
  });
  await once(child, 'exit');
  closeSync(stderr);
  return child.exitCode;
}

test.each([
  ['in order', 'await close();'],
  ['at once', ''],
])('a process whose log stream accepts no bytes can exit %s', async (_how, ending) => {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-log-'));
  const pipe = join(directory, 'log');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  expect(await endOf(pipe, ending)).toBe(3);
  expect(await endOf('/dev/full', ending)).toBe(3);
  await rm(directory, { recursive: true });
});
