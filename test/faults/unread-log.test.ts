import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chat } from '../chat-client.ts';
import { answer, chunk, endings, sse } from '../fake-provider.ts';
import { rawExchange } from '../raw-client.ts';
import { type ServedGateway, startServedGateway } from '../served-gateway.ts';
import { stoppedReader } from '../stopped-reader.ts';

let gateway: ServedGateway;
let directory: string;
let pipe: string;
/** Keeps the pipe open, and never reads it. */
let reader: number;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-pipe-'));
  pipe = join(directory, 'log');
  expect(spawnSync('mkfifo', [pipe]).status).toBe(0);
  reader = openSync(pipe, 'r+');
});
afterEach(async () => {
  await gateway.clean();
  closeSync(reader);
  await rm(directory, { recursive: true });
});

/** More lines than a pipe holds. */
async function logMuch(): Promise<void> {
  const path = `/${'x'.repeat(8000)}`;
  for (let count = 0; count < 20; count += 1) {
    expect((await rawExchange(gateway.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)).status).toBe(404);
  }
}

test('a log that nobody reads costs lines, not answers, and keeps no gateway from ending', async () => {
  gateway = await startServedGateway({ config: { log: { level: 'info' } }, log: pipe });
  gateway.provider.respond('other', answer('hello'));
  await logMuch();
  expect(await chat(gateway).over).toMatchObject({ status: 200, isDone: true });
  gateway.signal('SIGTERM');
  expect(await gateway.exit()).toBe(0);
});

test.each(['a pipe that nobody reads', 'a full disk'])(
  'a third signal ends a gateway whose log goes to %s',
  async (where) => {
    const log = where === 'a full disk' ? '/dev/full' : pipe;
    gateway = await startServedGateway({ config: { log: { level: 'info' } }, log });
    const long = Array.from({ length: 400 }, () => chunk({ content: 'a'.repeat(50_000) }));
    gateway.provider.respond('other', sse([...long, endings.hang]));
    const stopped = await stoppedReader({ ...gateway, model: 'other' });
    await logMuch();
    // As long as the store takes no charge, the gateway does not come to its end before the third signal.
    const lock = new DatabaseSync(join(gateway.directory, 'data/gateway.db'), { timeout: 60_000 });
    lock.exec('begin immediate');
    gateway.signal('SIGTERM');
    await gateway.says(/Stopping: /);
    // Each counts as another only after a while.
    const again = setInterval(() => gateway.signal('SIGINT'), 100);
    await gateway.says(/Stopping now/);
    expect(await gateway.exit().finally(() => clearInterval(again))).toBe(1);
    lock.close();
    stopped.destroy();
  },
);
