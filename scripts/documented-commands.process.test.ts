import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { launcher } from '../test/gateways/launcher.ts';
import { newDatabase } from '../test/stores/stores.ts';

// A run needs a network and mounts of its own, so that ports are free, and the tools of an operator.
const needs = 'unshare --net --mount true && for tool in bash curl ip jq; do command -v $tool || exit 1; done';
const canRun = spawnSync('sh', ['-c', needs]).status === 0;
if (!canRun) console.warn(`The commands of the documentation are not run, because this fails: ${needs}`);

const hasPsql = spawnSync('sh', ['-c', 'command -v psql']).status === 0;
if (!hasPsql) console.warn('The commands of docs/operations.md for a database are not run, because there is no psql.');
const names = ['cookbook', 'reference', 'operations', ...(hasPsql ? ['postgres'] : [])];

/** Its settings of curl make a status of 400 or more an error, so that a block with a refused request fails. */
const home = mkdtempSync(join(tmpdir(), 'gateway-curl-'));
writeFileSync(join(home, '.curlrc'), 'fail\nshow-error\n');
afterAll(() => rmSync(home, { recursive: true }));

/** docs/cookbook, the `referencePages` of code-blocks.ts, and docs/operations.md without and with a database. */
test.skipIf(!canRun).each(names)('the commands of the documentation run and print what it says: %s', async (name) => {
  const DATABASE_URL = name === 'postgres' ? await newDatabase('nothing') : undefined;
  const env = { ...process.env, HANDBOOK_LAUNCHER: launcher, CURL_HOME: home, DATABASE_URL };
  const program = promisify(execFile)(process.execPath, ['scripts/handbook.ts', name], { maxBuffer: 1e8, env });
  const { stdout } = await program.catch(({ stdout: text, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`${text.slice(-4_000)}\n${stderr}`);
  });
  expect(stdout).toMatch(/All \d+ blocks of .* ran\.\n$/);
});
