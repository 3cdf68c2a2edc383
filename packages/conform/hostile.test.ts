import http from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isDeep } from '../../test/depth.ts';
import { conform } from './conform.ts';
import { totalsOf } from './scorecard.ts';

type Handler = (request: http.IncomingMessage, response: http.ServerResponse) => void;

test('a server that sends arbitrary responses gets a scorecard with failures', async () => {
  const chunk = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.constantFrom('{"choices":null}', '{"choices":[null]}', '{"choices":[{"delta":null}],"usage":7}', '[DONE]', ''),
  );
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(chunk).map((chunks) => chunks.map((one) => `data: ${one}\n\n`).join('')),
    fc.constantFrom(
      '{"data":[null,{"id":"m"}]}',
      '{"data":[{"id":"m","supported_endpoint_types":7}]}',
      '{"error":null}',
    ),
  );
  const type = fc.constantFrom('application/json', 'text/event-stream', 'text/html', '');
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(200, 302, 400, 401, 404, 429, 500),
      type,
      body,
      async (status, mediaType, text) => {
        const scorecard = await against((_request, response) => {
          response.writeHead(status, { 'content-type': mediaType }).end(text);
        });
        expect(totalsOf(scorecard.groups).fail).toBeGreaterThan(50);
      },
    ),
    { numRuns: isDeep ? 12 : 4 },
  );
});

test('an aborted stream fails the checks that read it', async () => {
  const scorecard = await against(
    catalogOr((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[]}\n\n', () => response.destroy());
    }),
    { only: ['usage'] },
  );
  expect(totalsOf(scorecard.groups)).toMatchObject({ pass: 0, skip: 0 });
  expect(scorecard.groups[0]?.checks[0]?.outcome).toMatchObject({
    expected: 'a complete reply',
    seen: expect.stringContaining('aborted'),
  });
});

test('a stream that never ends fails after the timeout', async () => {
  // Time advances only after the stream of a request has started.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const begin = (response: http.ServerResponse) =>
    void response.writeHead(200).write(': wait\n\n', () => vi.advanceTimersByTime(2000));
  const scorecard = await against(catalogOr(begin), { only: ['thinking'], timeoutMs: 2000 });
  expect(scorecard.groups[0]?.checks[0]?.outcome).toMatchObject({
    kind: 'fail',
    seen: 'POST /v1/chat/completions: no complete reply within 2 s',
  });
});

test('an endless reply is not kept in memory', async () => {
  const flood = (response: http.ServerResponse) => {
    const more = () => void response.write(Buffer.alloc(1 << 20, 'x'), more);
    response.writeHead(200);
    more();
  };
  const scorecard = await against(catalogOr(flood), { only: ['balance'] });
  expect(scorecard.groups[0]?.checks[0]?.outcome).toMatchObject({ seen: expect.stringContaining('longer than') });
});

function catalogOr(handle: (response: http.ServerResponse) => void): Handler {
  return (request, response) => {
    if (request.url === '/v1/models') response.end('{"data":[{"id":"m"}]}');
    else handle(response);
  };
}

async function against(handler: Handler, options: { only?: readonly string[]; timeoutMs?: number } = {}) {
  const server = http.createServer((request, response) => {
    response.on('error', () => {});
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await conform({ baseUrl, key: 'key' }, { timeoutMs: 60_000, ...options });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
