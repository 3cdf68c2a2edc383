import { afterEach, describe, expect, test, vi } from 'vitest';
import { readAnswer } from '../../../../test/call-upstream.ts';
import { type Clock, systemClock } from '../../../core/time/clock.ts';
import { noMarkupRequest } from 'chat-formats/markup/markup-request.ts';
import { chatStreamDecoder } from 'chat-formats/chat-completions/answer/decode-stream.ts';
import { eventDataDecoder } from 'chat-formats/event-stream-decoder.ts';
import { openAnswer } from './answer.ts';
import type { ResponseHandler } from '../http1/provider-connection.ts';
import { TransportFault } from '../http1/transport-fault.ts';
import type { HttpPool } from '../http1/pool.ts';
import { parseHead } from '../http1/response-head.ts';

afterEach(() => void vi.useRealTimers());

const eventStream = parseHead('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked');
const refusedHead = parseHead('HTTP/1.1 400 Bad\r\ncontent-type: application/json\r\ntransfer-encoding: chunked');
const hello = Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n');
const done = Buffer.from('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');

/** Opens an answer with a socket and a clock that the test controls. */
function begin(timeouts = { firstEvent: 1000, idle: 1000, total: 60_000 }, markup = noMarkupRequest) {
  vi.useFakeTimers();
  const seen = { isDestroyed: false, isPaused: false };
  let handler: ResponseHandler | undefined;
  const pool: HttpPool = {
    send: (_request, given) => {
      handler = given;
      return {
        pause: () => (seen.isPaused = true),
        resume: () => (seen.isPaused = false),
        destroy: () => (seen.isDestroyed = true),
      };
    },
    close: () => {},
  };
  const clock: Clock = { ...systemClock, now: () => Date.now(), elapsed: () => Date.now() };
  const parts = {
    upstream: 'acme',
    clock,
    timeouts,
    redact: (text: string) => text,
    streamDecoder: () => eventDataDecoder(chatStreamDecoder({ newId: () => 'id', markup })),
    decodeBody: () => [],
  };
  const opening = openAnswer(pool, '', parts, new AbortController().signal);
  return { opening, seen, response: handler! };
}

describe('a complete answer', () => {
  test('waits one second for the end of the body before it closes the connection', async () => {
    const { opening, seen, response } = begin({ firstEvent: 60_000, idle: 60_000, total: 60_000 });
    response.head(eventStream);
    response.data(Buffer.concat([hello, done]));
    expect(await readAnswer(await opening)).toMatchObject({ outcome: 'complete', text: 'Hi' });
    await vi.advanceTimersByTimeAsync(900);
    expect(seen.isDestroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    expect(seen.isDestroyed).toBe(true);
  });

  test('reads to the end of the body even if its reader is paused', async () => {
    const { opening, seen, response } = begin();
    response.head(eventStream);
    const flow = await opening;
    const result = readAnswer(flow, () => flow.pause());
    await Promise.resolve();
    response.data(hello);
    expect(seen.isPaused).toBe(true);
    response.data(done);
    expect(seen.isPaused).toBe(false);
    expect(await result).toMatchObject({ outcome: 'complete' });
  });

  test('leaves no timer if the body ends with it', async () => {
    const { opening, response } = begin();
    response.head(eventStream);
    response.data(Buffer.concat([hello, done]));
    response.end();
    await readAnswer(await opening);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('ignores a failure of the rest of the body', async () => {
    const { opening, response } = begin();
    response.head(eventStream);
    response.data(Buffer.concat([hello, done]));
    const result = readAnswer(await opening);
    response.data(Buffer.from('data: garbage'));
    response.fail(new TransportFault('closed', 'reset'));
    expect(await result).toMatchObject({ outcome: 'complete' });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a silent provider', () => {
  test('times out before the first event, measured from the start, even if keep-alive bytes arrive', async () => {
    const { opening, seen, response } = begin({ firstEvent: 500, idle: 200, total: 60_000 });
    response.head(eventStream);
    const result = readAnswer(await opening);
    for (let turn = 0; turn < 4; turn += 1) {
      await vi.advanceTimersByTimeAsync(100);
      response.data(Buffer.from(': keep-alive\n\n'));
    }
    expect(seen.isDestroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(101);
    expect(await result).toMatchObject({ outcome: 'failed', error: { case: 'upstream-timeout' } });
    expect(seen.isDestroyed).toBe(true);
  });

  test('is not silent while it sends text that is held back', async () => {
    const options = { firstEvent: 500, idle: 200, total: 60_000 };
    const { opening, response } = begin(options, { ...noMarkupRequest, startsIn: 'doubt' });
    response.head(eventStream);
    const result = readAnswer(await opening);
    for (let turn = 0; turn < 5; turn += 1) {
      response.data(hello);
      await vi.advanceTimersByTimeAsync(150);
    }
    response.data(done);
    expect(await result).toMatchObject({ outcome: 'complete', text: 'HiHiHiHiHi' });
  });

  test('times out between events, measured from the last one with data', async () => {
    const { opening, response } = begin({ firstEvent: 60_000, idle: 200, total: 60_000 });
    response.head(eventStream);
    const result = readAnswer(await opening);
    for (let turn = 0; turn < 5; turn += 1) {
      response.data(hello);
      await vi.advanceTimersByTimeAsync(150);
    }
    response.data(Buffer.from(': keep-alive\n\ndata: {"choi'));
    await vi.advanceTimersByTimeAsync(51);
    expect(await result).toMatchObject({ text: 'HiHiHiHiHi', error: { case: 'upstream-timeout' } });
  });

  test('does not time out while the reader has paused the answer', async () => {
    const { opening, seen, response } = begin({ firstEvent: 200, idle: 200, total: 60_000 });
    response.head(eventStream);
    const flow = await opening;
    const result = readAnswer(flow);
    response.data(hello);
    flow.pause();
    expect(seen.isPaused).toBe(true);
    await vi.advanceTimersByTimeAsync(5010);
    flow.resume();
    await vi.advanceTimersByTimeAsync(195);
    response.data(done);
    expect(await result).toMatchObject({ outcome: 'complete' });
    expect(seen.isPaused).toBe(false);
  });
});

test('the total timeout of an answer applies even while the reader has paused it', async () => {
  const { opening, response } = begin({ firstEvent: 200, idle: 200, total: 1000 });
  response.head(eventStream);
  const flow = await opening;
  const result = readAnswer(flow);
  response.data(hello);
  flow.pause();
  await vi.advanceTimersByTimeAsync(1001);
  expect(await result).toMatchObject({ outcome: 'failed', error: { case: 'upstream-timeout' } });
});

test('the gateway waits only a short time for the body of a refusal', async () => {
  const { opening, seen, response } = begin({ firstEvent: 60_000, idle: 60_000, total: 60_000 });
  const refused = opening.catch((error: unknown) => error);
  response.head(refusedHead);
  response.data(Buffer.from('{"error":{"co'));
  await vi.advanceTimersByTimeAsync(2001);
  expect(await refused).toMatchObject({ case: 'upstream-rejected' });
  expect(seen.isDestroyed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('events that arrive before the reader starts are held, and the source is paused', async () => {
  const { opening, seen, response } = begin();
  response.head(eventStream);
  response.data(hello);
  expect(seen.isPaused).toBe(false);
  response.data(hello);
  expect(seen.isPaused).toBe(true);
  const result = readAnswer(await opening, () => {});
  await Promise.resolve();
  await Promise.resolve();
  expect(seen.isPaused).toBe(false);
  response.data(done);
  expect(await result).toMatchObject({ text: 'HiHi', outcome: 'complete' });
});

test('a reader that throws ends its answer and closes the connection', async () => {
  const { opening, seen, response } = begin();
  response.head(eventStream);
  const result = readAnswer(await opening, () => {
    throw new Error('bug');
  });
  await Promise.resolve();
  response.data(hello);
  expect(await result).toMatchObject({ outcome: 'failed', error: new Error('bug') });
  expect(seen.isDestroyed).toBe(true);
});
