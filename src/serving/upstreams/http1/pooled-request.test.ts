import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../../../test/collect-garbage.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { type HttpPool, httpPool, type SentRequest } from './pool.ts';
import { headerLines, requestText } from './request-text.ts';

const bodyBytes = 64 * 1024 * 1024;

test.each([
  ['a new connection', false],
  ['a kept connection', true],
])('a request that was sent on %s is released while its answer runs', async (_where, isKept) => {
  await using server = await answerWithoutEnd();
  const pool = httpPool({ origin: new URL(server.url), clock: manualClock(), connectTimeoutMs: 60_000 });
  if (isKept) await exchangeOnce(pool);
  const before = await heapBytes();
  const running = await sendLargeRequest(pool);
  expect((await heapBytes()) - before).toBeLessThan(bodyBytes / 2);
  running.destroy();
  pool.close();
});

/** Sends a large body and resolves when its answer has begun. */
function sendLargeRequest(pool: HttpPool): Promise<SentRequest> {
  return new Promise((resolve, reject) => {
    const text = requestText('POST', { host: 'x', target: '/x' }, headerLines({}), 'x'.repeat(bodyBytes));
    const sent = pool.send(text, { head: () => resolve(sent), data: () => {}, end: reject, fail: reject });
  });
}

function exchangeOnce(pool: HttpPool): Promise<void> {
  return new Promise((resolve, reject) => {
    const text = requestText('GET', { host: 'x', target: '/whole' }, headerLines({}), undefined);
    pool.send(text, { head: () => {}, data: () => {}, end: resolve, fail: reject });
  });
}

async function heapBytes(): Promise<number> {
  await collectGarbage();
  return getHeapStatistics().used_heap_size;
}

/** Reads the request and, once it is complete, sends only the head of an answer. */
async function answerWithoutEnd() {
  const server = createServer((socket) => {
    let left = bodyBytes;
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (bytes.subarray(0, 3).toString() === 'GET') {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
        return;
      }
      const before = left;
      left -= bytes.length;
      if (before > 0 && left <= 0) socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
