import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { putStore } from '../../test/stores/made-store.ts';
import { registerAccounts } from './accounts/accounts.ts';
import { runCommandLine } from './command-line.ts';
import { registerWebhooks } from './webhooks.ts';

let folder: string;
let printed: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-cli-webhooks-'));
  await putStore(join(folder, 'data'));
  printed = '';
  vi.spyOn(console, 'log').mockImplementation((line: string) => void (printed += `${line}\n`));
  vi.spyOn(console, 'error').mockImplementation((line: string) => void (printed += `${line}\n`));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((printed += String(text))));
  await cli('accounts create demo');
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('webhooks add rejects a private address for an account, with the next step', async () => {
  expect(await cli('webhooks add http://10.0.0.1/hook --name in --account demo')).toBe(1);
  expect(printed).toContain('`url` is not a public address');
  expect(printed).toContain('`webhooks.allow`');
  printed = '';
  await cli('webhooks list --account demo');
  expect(printed).toContain('No webhook endpoints yet.');
});

test('webhooks add accepts a private address that the file allows', async () => {
  const file = join(folder, 'gateway.yaml');
  writeFileSync(file, 'webhooks: { allow: [10.0.0.0/8] }\n');
  expect(await cli(`webhooks add http://10.0.0.1/hook --name in --account demo --config ${file}`)).toBe(0);
  expect(await cli(`webhooks add http://192.168.0.1/ --name in --account demo --config ${file}`)).toBe(1);
});

test('webhooks add accepts a private address for operators', async () => {
  expect(await cli('webhooks add http://10.0.0.1/hook --name in')).toBe(0);
});

function cli(line: string): Promise<number> {
  const words = [...line.split(' '), '--data', join(folder, 'data')];
  return runCommandLine(['node', 'chat-gateway', ...words], [registerAccounts, registerWebhooks]);
}
