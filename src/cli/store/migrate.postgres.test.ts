import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { command } from '../../../test/gateways/command.ts';
import { newDatabase } from '../../../test/stores/stores.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-migrate-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('keys create and serve reject a shared database without a configured secret', async () => {
  const database = await newDatabase();
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, '');
  const needsSecret = { status: 1, err: expect.stringContaining('needs `secret` in the configuration') };
  expect(await command('accounts', 'create', 'demo', '--database', database)).toMatchObject({ status: 0 });
  const made = await command('keys', 'create', '--account', 'demo', '--name', 'x', '--database', database);
  expect(made).toMatchObject(needsSecret);
  expect(await command('serve', '--config', file, '--database', database)).toMatchObject(needsSecret);
});
