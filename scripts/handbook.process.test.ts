import { execFile, spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { prometheusProgram } from '../test/services/prometheus.ts';

const faults = globSync('docs/faults/*.md').map((page) => basename(page, '.md'));
// A run needs a network and mounts of its own, so that ports are free and a disk can be filled, and the tools of an operator.
const needs = 'unshare --net --mount true && for tool in bash curl ip jq psql; do command -v $tool || exit 1; done';
const canRun = spawnSync('sh', ['-c', needs]).status === 0;
if (!canRun) console.warn(`The commands of the documentation are not run, because this fails: ${needs}`);

test('there are pages of faults', () => expect(faults.length).toBeGreaterThan(3));

const hasPrometheus = await prometheusProgram().then(
  () => true,
  (error: unknown) =>
    console.warn(`The pages of docs/faults are not run, because there is no Prometheus: ${String(error)}`),
);

/** Most of the time of a page is waiting: until a rate falls, a lease expires or a retry is due. */
const timeoutMs = 600_000;
const complete = /All \d+ blocks of .* ran\.\n$/;

test.skipIf(!canRun)('the tutorial runs and prints what it says', { timeout: timeoutMs }, async () => {
  expect(await outputOf('start')).toMatch(complete);
});

test.skipIf(!canRun || !hasPrometheus).concurrent.each(faults)(
  'the commands of %s run and print what it says, and its alerts fire and end',
  { timeout: timeoutMs },
  async (page) => expect(await outputOf('faults', page)).toMatch(complete),
);

async function outputOf(...words: readonly string[]): Promise<string> {
  const program = promisify(execFile)(process.execPath, ['scripts/handbook.ts', ...words], { maxBuffer: 1e8 });
  const { stdout } = await program.catch(({ stdout: text, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${text.slice(-4_000)}\n${stderr}`);
  });
  return stdout;
}
