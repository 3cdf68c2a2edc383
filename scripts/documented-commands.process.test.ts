import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { launcher } from '../test/gateways/launcher.ts';
import { allBlocksRan, canRunHandbook, handbookOutput, hasPsql } from '../test/handbook.ts';
import { newDatabase } from '../test/stores/stores.ts';

const names = ['cookbook', 'reference', 'operations', ...(hasPsql ? ['postgres'] : [])];

/** Its settings of curl make a status of 400 or more an error, so that a block with a refused request fails. */
const home = mkdtempSync(join(tmpdir(), 'gateway-curl-'));
writeFileSync(join(home, '.curlrc'), 'fail\nshow-error\n');
afterAll(() => rmSync(home, { recursive: true }));

/** docs/cookbook, the `referencePages` of code-blocks.ts, and docs/operations.md without and with a database. */
test.skipIf(!canRunHandbook).each(names)(
  'the commands of the documentation run and print what it says: %s',
  async (name) => {
    const DATABASE_URL = name === 'postgres' ? await newDatabase('nothing') : undefined;
    const env = { ...process.env, HANDBOOK_LAUNCHER: launcher, CURL_HOME: home, DATABASE_URL };
    expect(await handbookOutput([name], env)).toMatch(allBlocksRan);
  },
);
