import { mkdtempSync, openSync, closeSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { integrityOf } from '../src/platform/store/sqlite/integrity.ts';
import { command } from './gateways/command.ts';

/** A store with one key, whose index of names has a page with one changed byte. */
async function damagedStore(): Promise<string> {
  const data = mkdtempSync(join(tmpdir(), 'gateway-damaged-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  const inStore = ['--data', data];
  expect((await command('accounts', 'create', 'acme', ...inStore)).status).toBe(0);
  expect((await command('keys', 'create', '--account', 'acme', '--name', 'k', ...inStore)).status).toBe(0);
  for (const words of [['doctor'], ['ledger', 'verify']]) {
    expect([words, (await command(...words, ...inStore)).status]).toEqual([words, 0]);
  }
  const file = join(data, 'gateway.db');
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = delete');
  const [size] = Object.values(database.prepare('pragma page_size').get()!);
  const pages = database
    .prepare("select rootpage from sqlite_schema where type = 'index' and tbl_name = 'api_keys' order by rootpage")
    .all();
  database.close();
  const descriptor = openSync(file, 'r+');
  for (const { rootpage } of pages) {
    // The content of the first entry of an index is at the end of its page.
    const position = Number(rootpage) * Number(size) - 4;
    const byte = Buffer.alloc(1);
    readSync(descriptor, byte, 0, 1, position);
    writeSync(descriptor, Buffer.from([byte[0]! ^ 1]), 0, 1, position);
  }
  closeSync(descriptor);
  return data;
}

test('doctor and ledger verify find damage that SQLite finds, and name the next step', async () => {
  const data = await damagedStore();
  const checked = await command('doctor', '--data', data, '--json');
  const findings = JSON.parse(checked.out).findings.filter(({ level }: { level: string }) => level === 'problem');
  expect([checked.status, findings]).toEqual([
    1,
    [
      expect.objectContaining({
        area: 'store',
        says: expect.stringContaining('is damaged: '),
        fix: expect.stringContaining('chat-gateway restore FOLDER'),
      }),
    ],
  ]);
  const verified = await command('ledger', 'verify', '--data', data);
  expect(verified.status).toBe(1);
  expect(verified.err).toMatch(/The store in .* is damaged: [^]*chat-gateway restore FOLDER/);
});

test('a check that takes longer than its limit is ended', async () => {
  const data = await damagedStore();
  expect(await integrityOf(join(data, 'gateway.db'), 1)).toEqual({ state: 'unfinished' });
});
