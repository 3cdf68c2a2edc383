import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { HeldStreams } from './load-hold.ts';

test('streams that cannot be opened within the time are not tried, and count as failed', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const to = { port: (silent.address() as AddressInfo).port, key: 'none' };
  const streams = new HeldStreams({ waitMs: 200, openAllWithinMs: 100 });
  const reply = await streams.open(to, 150);
  expect(reply).toMatchObject({ served: 0, failures: 150, firstFailure: expect.stringContaining('were not tried') });
  expect(sockets.length).toBeLessThanOrEqual(100);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
