import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { call } from './call.ts';

test('an answer that breaks off is told as a gateway that cannot be reached', async () => {
  const url = await serving((_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"id":', () => response.destroy());
  });
  await expect(call(url)).rejects.toMatchObject({ status: 0, code: 'unreachable' });
});

test('who waits for no answer is told so, and who stopped asking is told nothing of ours', async () => {
  const url = await serving(() => {});
  await expect(call(url, { signal: AbortSignal.timeout(1) })).rejects.toMatchObject({ status: 0, code: 'unreachable' });
  const left = new AbortController();
  const asked = call(url, { signal: left.signal });
  left.abort();
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
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
