import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { call } from './call.ts';

test('a call whose response breaks off fails as unreachable', async () => {
  const url = await serving((_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"id":', () => response.destroy());
  });
  await expect(call(url)).rejects.toMatchObject({ status: 0, code: 'unreachable' });
});

test('a call that times out fails as unreachable, and an aborted call with its AbortError', async () => {
  const url = await serving(() => {});
  await expect(call(url, { signal: AbortSignal.timeout(1) })).rejects.toMatchObject({ status: 0, code: 'unreachable' });
  const left = new AbortController();
  const pending = call(url, { signal: left.signal });
  left.abort();
  await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
});

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
}
