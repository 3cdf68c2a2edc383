import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../../../test/collect-garbage.ts';
import { RequestBody } from './request-body.ts';

test('only its reader keeps a body in memory once it is read, however long the answer takes', async () => {
  const request = new PassThrough();
  const body = new RequestBody(request as unknown as IncomingMessage, 1_000_000);
  const read = readOnce(body);
  for (let piece = 0; piece < 3; piece += 1) request.write(Buffer.alloc(100_000));
  request.end();
  const bytes = await read;
  await collectGarbage();
  expect(bytes.deref()).toBeUndefined();
  // The request continues: its listeners are still attached.
  expect(request.listenerCount('error')).toBeGreaterThan(0);
  body.break('over');
});

async function readOnce(body: RequestBody): Promise<WeakRef<ArrayBufferLike>> {
  const bytes = await body.read();
  expect(bytes.length).toBe(300_000);
  return new WeakRef(bytes.buffer);
}
