import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { answer, fakeProvider, type FakeProvider } from '../../../test/fakes/fake-provider.ts';
import { launcher } from '../../../test/gateways/launcher.ts';
import { newApiPricing, oldKey } from 'chat-gateway-import/fixtures/new-api-database.ts';
import { newApiSchema, oneChannel } from 'chat-gateway-import/fixtures/one-channel.ts';
import { fillSqlite } from 'chat-gateway-import/fixtures/source-tables.ts';
import { freePort } from '../../../test/services/free-port.ts';

let folder: string;
let provider: FakeProvider;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gateway-migration-'));
  provider = await fakeProvider();
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true });
});

test('the commands of the migration guide lead from an empty machine to the first answer with an old key', async () => {
  const guide = await readFile('docs/migrate-new-api.md', 'utf8');
  const [, commands = ''] = /^```sh run\n([^]*?)^```$/m.exec(guide) ?? [];
  const [, settings = ''] = /^```yaml\n([^]*?)^```$/m.exec(guide) ?? [];
  const port = await freePort();
  provider.respond('gpt-4o', answer('Hello from the old provider'));
  fillSqlite(join(folder, 'one-api.db'), newApiSchema, oneChannel(provider.url.replace(/\/v1$/, '')));
  await writeFile(join(folder, 'pricing.json'), newApiPricing);
  const own = `data: data\nlisten: { host: 127.0.0.1, port: ${port} }\negress: { allow: [127.0.0.1] }\n`;
  await writeFile(join(folder, 'gateway.yaml'), own + settings);
  const shim = join(folder, 'chat-gateway');
  await writeFile(shim, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
  await chmod(shim, 0o755);
  const text = commands.replaceAll('8080', String(port));
  const script = ['set -m -eu -o pipefail', `trap 'kill $(jobs -p) || true; wait' EXIT`, text].join('\n');
  const environment = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, OLD_KEY: `sk-${oldKey('walk')}` };
  const child = spawn('bash', ['-c', script], { cwd: folder, env: environment });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (output += piece));
  const [status] = await once(child, 'close');
  expect([status, output]).toEqual([0, expect.stringContaining('1 of 1 keys were answered by simulated providers')]);
  expect(output).toContain('Hello from the old provider');
  expect(provider.calls).toHaveLength(1);
  expect(output).not.toMatch(/sk-provider|walk0/);
});
