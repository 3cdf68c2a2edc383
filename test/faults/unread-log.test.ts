import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { chat } from '../chat-client.ts';
import { answer, chunk, endings, sse } from '../fakes/fake-provider.ts';
import { rawExchange } from '../raw-client.ts';
import { type ServedGateway, startServedGateway } from '../gateways/served-gateway.ts';
import { stoppedReader } from '../stopped-reader.ts';

let gateway: ServedGateway;
let directory: string;
let pipe: string;
/** A descriptor that keeps the pipe open. Nothing reads from it. */
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

/** Writes more log lines than a pipe can hold. */
async function fillLog(): Promise<void> {
  const path = `/${'x'.repeat(8000)}`;
  for (let count = 0; count < 20; count += 1) {
    expect((await rawExchange(gateway.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)).status).toBe(404);
  }
}

test('if nothing reads the log, the gateway loses log lines, no answers, and still exits', async () => {
  gateway = await startServedGateway({ config: { log: { level: 'info' } }, log: pipe });
  gateway.provider.respond('other', answer('hello'));
  await fillLog();
  expect(await chat(gateway).over).toMatchObject({ status: 200, isDone: true });
  gateway.signal('SIGTERM');
  expect(await gateway.exit()).toBe(0);
});

test.each(['an unread pipe', 'a full disk'])('a third signal ends a gateway whose log goes to %s', async (target) => {
  const log = target === 'a full disk' ? '/dev/full' : pipe;
  gateway = await startServedGateway({ config: { log: { level: 'info' } }, log });
  const long = Array.from({ length: 400 }, () => chunk({ content: 'a'.repeat(50_000) }));
  gateway.provider.respond('other', sse([...long, endings.hang]));
  const stopped = await stoppedReader({ ...gateway, model: 'other' });
  await fillLog();
  // While the store is locked, the charge is not booked and the gateway does not exit before the third signal.
  const lock = new DatabaseSync(join(gateway.directory, 'data/gateway.db'), { timeout: 60_000 });
  lock.exec('begin immediate');
  gateway.signal('SIGTERM');
  await gateway.waitForOutput(/Stopping: /);
  // Repeated, because signals in quick succession count as one.
  const again = setInterval(() => gateway.signal('SIGINT'), 100);
  await gateway.waitForOutput(/Stopping now/);
  expect(await gateway.exit().finally(() => clearInterval(again))).toBe(1);
  lock.close();
  stopped.destroy();
});
