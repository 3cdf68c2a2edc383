import { DatabaseSync } from 'node:sqlite';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSums } from '../../src/manage/backup/checksums.ts';
import { startGateway } from '../../src/app/main.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { command, type CommandOutcome } from '../gateways/command.ts';
import { eventually } from '../eventually.ts';
import { answer } from '../fakes/fake-provider.ts';
import { fakeSigns } from '../fakes/fake-signs.ts';
import { loadedConfig } from '../gateways/loaded-config.ts';
import { childrenOf, type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';

/** Two workers under load. The test makes a backup, then kills them. */
let gateway: ServedGateway;
let backup: string;
let data: string;
/** Requests whose clients received the end of the answer before the backup began. */
const before: string[] = [];
let backupOutcome: CommandOutcome;
let refusedWhileRunning: CommandOutcome;

beforeAll(async () => {
  gateway = await startServedGateway({ config: { workers: 2 } });
  gateway.provider.respond('other', answer('hello'));
  backup = join(gateway.directory, 'backup');
  data = join(gateway.directory, 'data');
  /** Requests that clients sent after the backup was complete. */
  const after: string[] = [];
  const state = { hasBegun: false, isTaken: false, isOver: false };
  const clients = Array.from({ length: 8 }, async () => {
    while (!state.isOver) {
      const { isTaken } = state;
      const { id, isDone } = await chat(gateway).over;
      if (isDone && !state.hasBegun) before.push(id);
      if (isTaken) after.push(id);
    }
  });
  await eventually(() => expect(before.length, 'answers before the backup').toBeGreaterThan(30));
  state.hasBegun = true;
  backupOutcome = await command('backup', backup, '--data', data, '--json');
  state.isTaken = true;
  refusedWhileRunning = await command('restore', backup, '--data', data);
  // The high-water mark on this machine names a charge that is not in the backup.
  await eventually(async () => {
    const { requestId } = JSON.parse(await readFile(join(data, 'ledger-mark.json'), 'utf8'));
    expect(after, 'requests after the backup, one of which is the ledger’s high-water mark').toContain(requestId);
  });
  const workers = await childrenOf(gateway.pid);
  // A stopped parent does not restart workers.
  process.kill(gateway.pid, 'SIGSTOP');
  for (const pid of [...workers, gateway.pid]) process.kill(pid, 'SIGKILL');
  state.isOver = true;
  await Promise.all(clients);
  await gateway.exit();
});
afterAll(async () => {
  await gateway.clean();
});

test('restore refuses to replace a store that is in use', () => {
  expect(refusedWhileRunning).toMatchObject({ status: 1, err: expect.stringMatching(/in use.\nStop the gateway/) });
});

test('a backup is complete, readable by its owner only, and lists its contents', async () => {
  expect(backupOutcome).toMatchObject({ status: 0 });
  expect(JSON.parse(backupOutcome.out)).toMatchObject({
    folder: backup,
    secret: 'included',
    bytes: expect.any(Number),
  });
  const names = await readdir(backup);
  expect(names.toSorted()).toEqual(['SHA256SUMS', 'backup.json', 'gateway.db', 'journal', 'secret.key']);
  for (const name of names) expect([name, (await stat(join(backup, name))).mode & 0o077]).toEqual([name, 0]);
  expect(await command('backup', backup, '--data', data)).toMatchObject({ status: 2 });
});

test('a backup restored on another machine has the charge of every completed answer, and its keys work', async () => {
  const directory = join(gateway.directory, 'elsewhere');
  expect(await command('restore', backup, '--data', join(directory, 'data'))).toMatchObject({ status: 0, err: '' });
  const text = await readFile(join(gateway.directory, 'gateway.yaml'), 'utf8');
  const next = await startGateway(loadedConfig(text.replace('workers: 2', 'workers: 1'), directory), {
    env: {},
    signs: fakeSigns(),
  });
  try {
    expect(await chat({ ...gateway, port: next.address.port }).over).toMatchObject({ isDone: true });
    const rows = await next.store.db.selectFrom('transfers').select('reference').where('kind', '=', 'charge').execute();
    const charged = new Set(rows.map(({ reference }) => reference));
    expect(before.filter((id) => !charged.has(id))).toEqual([]);
    await expectAtRest(next);
  } finally {
    await next.stop();
  }
  expect(await command('ledger', 'verify', '--data', join(directory, 'data'))).toMatchObject({ status: 0 });
});

test('a restore over existing data moves the old data aside, and the ledger reports the gap', async () => {
  const own = join(gateway.directory, 'own');
  await cp(data, own, { recursive: true });
  const restored = await command('restore', backup, '--data', own, '--json');
  expect(restored).toMatchObject({ status: 0 });
  const { aside } = JSON.parse(restored.out);
  expect((await readdir(aside)).toSorted()).toEqual(['gateway.db', 'journal', 'secret.key']);
  const verified = await command('ledger', 'verify', '--data', own, '--json');
  expect(JSON.parse(verified.out)).toMatchObject({ isSound: true, gaps: [{ until: expect.any(String) }] });
  // The data that was moved aside is a complete data folder.
  expect(await command('ledger', 'verify', '--data', aside)).toMatchObject({ status: 0 });
});

test('restore rejects a damaged backup and changes nothing', async () => {
  const untouched = join(gateway.directory, 'untouched');
  const damages: [damage: (copy: string) => Promise<unknown>, message: RegExp][] = [
    [(copy) => rm(join(copy, 'backup.json')), /is not a backup/],
    [(copy) => rm(join(copy, 'gateway.db')), /damaged: ENOENT/],
    [flipBit, /damaged: gateway\.db does not match its checksum/],
    [(copy) => writeFile(join(copy, 'SHA256SUMS'), '../../etc/passwd'), /damaged: SHA256SUMS has an invalid line/],
    [addFutureMigration, /newer version/],
  ];
  for (const [damage, message] of damages) {
    const copy = join(gateway.directory, 'copy');
    await cp(backup, copy, { recursive: true });
    await damage(copy);
    expect(await command('restore', copy, '--data', untouched)).toMatchObject({
      status: 1,
      err: expect.stringMatching(message),
    });
    await rm(copy, { recursive: true });
  }
  await expect(readdir(untouched)).rejects.toThrow('ENOENT');
});

test('a backup includes charges that are only in a journal; without the secret, the command names what will be missing', async () => {
  const bare = join(gateway.directory, 'bare');
  await writeFile(join(data, 'journal', 'dead.0.jsonl'), 'a charge that the store does not have');
  const other = join(gateway.directory, 'other');
  expect((await command('backup', bare, '--data', data, '--without-secret')).out).toMatch(
    /does not contain secret\.key/,
  );
  expect(await readdir(bare)).not.toContain('secret.key');
  expect((await command('restore', bare, '--data', other)).out).toMatch(/The backup has no secret/);
  expect(await readFile(join(other, 'journal', 'dead.0.jsonl'), 'utf8')).toBe('a charge that the store does not have');
  expect((await command('restore', bare, '--data', data)).out).not.toMatch(/The backup has no secret/);
});

async function flipBit(copy: string): Promise<void> {
  const file = join(copy, 'gateway.db');
  const bytes = await readFile(file);
  bytes[5000]! ^= 1;
  await writeFile(file, bytes);
}

async function addFutureMigration(copy: string): Promise<void> {
  const database = new DatabaseSync(join(copy, 'gateway.db'));
  database.exec("insert into kysely_migration values ('9999-future', '2030-01-01T00:00:00Z')");
  database.close();
  await writeSums(copy, ['backup.json', 'gateway.db', 'secret.key']);
}
