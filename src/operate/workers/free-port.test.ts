import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { firstFreePort, freePort } from './free-port.ts';

const host = '127.0.0.78';

test('firstFreePort returns the first free port, or the first port of all if none is free', async () => {
  const port = await freePort(host);
  const held = createServer().listen({ host, port });
  await once(held, 'listening');
  const another = await freePort(host);
  expect(await firstFreePort(host, [port, another])).toBe(another);
  expect(await firstFreePort(host, [another, port])).toBe(another);
  expect(await firstFreePort(host, [port, port])).toBe(port);
  held.close();
});
