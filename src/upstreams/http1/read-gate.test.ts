import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.ts';
import type { ReadGate } from './connection.ts';
import { type HttpPool, httpPool, type SentRequest } from './pool.ts';
import { headerLines, requestText } from './request-text.ts';

const opened: (() => void)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** A request under way, what is heard of it, and its connection at the other end. */
interface Asked {
  readonly news: readonly string[];
  readonly sent: SentRequest;
  readonly socket: Socket;
}

/** A gate that is opened and closed by hand. */
function handGate() {
  let isOpen = true;
  const waiting: (() => void)[] = [];
  const gate: ReadGate = {
    passNow(work) {
      if (isOpen) work();
      return isOpen;
    },
    pass(work) {
      if (isOpen) work();
      else waiting.push(work);
    },
  };
  return {
    gate,
    waiting,
    close: () => void (isOpen = false),
    open() {
      isOpen = true;
      for (const work of waiting.splice(0)) work();
    },
  };
}

/** A provider's machine, of which a test has every connection in its hands, and a pool to it with a gate. */
async function stage() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => sockets.push(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const { gate, ...hand } = handGate();
  const pool = httpPool({ origin, clock: handClock(), connectTimeoutMs: 2000, reads: gate });
  opened.push(
    () => pool.close(),
    () => server.close(),
    () => sockets.forEach((socket) => socket.destroy()),
  );
  const ask = async (atEnd?: () => void): Promise<Asked> => {
    const asked = heard(pool, atEnd);
    const before = sockets.length;
    await expect.poll(() => sockets.length).toBe(before + 1);
    return { ...asked, socket: sockets[before] as Socket };
  };
  return { ...hand, sockets, ask };
}

/** Asks for something and keeps what is heard of it, in order. */
function heard(pool: HttpPool, atEnd = () => {}): Omit<Asked, 'socket'> {
  const news: string[] = [];
  const text = requestText('GET', { host: 'x', target: '/x' }, headerLines({}), undefined);
  const sent: SentRequest = pool.send(text, {
    head: ({ status }) => void news.push(String(status)),
    data: (bytes) => void news.push(bytes.toString()),
    end: () => {
      news.push('end');
      atEnd();
    },
    fail: ({ reason }) => void news.push(reason),
  });
  return { news, sent };
}

const head = (bytes: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n`;

test('what comes when it is not its turn waits for it, each connection with its own bytes', async () => {
  const { ask, close, open, waiting } = await stage();
  const [one, other] = [await ask(), await ask()];
  close();
  one.socket.write(`${head(8)}four`);
  await expect.poll(() => waiting.length).toBe(1);
  other.socket.write(`${head(5)}other`);
  await expect.poll(() => waiting.length).toBe(2);
  one.socket.write('more');
  const late = await ask();
  late.socket.write(`${head(4)}late`);
  await expect.poll(() => waiting.length).toBe(3);
  expect([one.news, other.news, late.news]).toEqual([[], [], []]);
  open();
  expect([one.news.join(' '), other.news, late.news]).toEqual([
    expect.stringMatching(/^200 four ?more end$/),
    ['200', 'other', 'end'],
    ['200', 'late', 'end'],
  ]);
});

test('a connection that ends, or breaks, tells first what was waiting', async () => {
  const { ask, close, waiting } = await stage();
  const [ended, broken] = [await ask(), await ask()];
  close();
  ended.socket.write('HTTP/1.1 200 OK\r\n\r\nto the end');
  broken.socket.write(`${head(100)}so far`);
  await expect.poll(() => waiting.length).toBe(2);
  ended.socket.end();
  broken.socket.resetAndDestroy();
  await expect
    .poll(() => [ended.news, broken.news])
    .toEqual([
      ['200', 'to the end', 'end'],
      ['200', 'so far', 'closed'],
    ]);
});

test('an answer that waited for its turn on a connection that broke meanwhile leaves no connection behind', async () => {
  const { ask, close, waiting, sockets } = await stage();
  const next: Promise<Asked>[] = [];
  const { socket, news } = await ask(() => next.push(ask()));
  close();
  socket.write(`${head(4)}over`);
  await expect.poll(() => waiting.length).toBe(1);
  socket.resetAndDestroy();
  await expect.poll(() => news).toEqual(['200', 'over', 'end']);
  // Whoever asks right then has a connection that stands.
  expect(await Promise.all(next)).toMatchObject([{ news: [] }]);
  expect(sockets).toHaveLength(2);
});

test('what waits for its turn is told to nobody who has paused, and to nobody who has left', async () => {
  const { ask, close, open, waiting } = await stage();
  const [paused, gone] = [await ask(), await ask()];
  close();
  for (const { socket } of [paused, gone]) socket.write(`${head(4)}word`);
  await expect.poll(() => waiting.length).toBe(2);
  paused.sent.pause();
  gone.sent.destroy();
  open();
  expect([paused.news, gone.news]).toEqual([[], []]);
  paused.sent.resume();
  expect(paused.news).toEqual(['200', 'word', 'end']);
});

test('a provider has to stop writing while too much waits, and goes on when it was taken', async () => {
  const { ask, close, open, waiting } = await stage();
  const { socket, news } = await ask();
  close();
  const [bytes, piece] = [64 * 1024 * 1024, Buffer.alloc(64 * 1024, 'x')];
  let written = 0;
  const write = () => {
    while (written < bytes && !socket.writableNeedDrain) {
      socket.write(piece);
      written += piece.length;
    }
  };
  socket.on('drain', write);
  socket.write(head(bytes));
  write();
  await expect.poll(() => waiting.length).toBe(1);
  let before = 0;
  const hasStopped = () => {
    const isStill = written === before && written < bytes;
    before = written;
    return isStill;
  };
  await expect.poll(hasStopped, { interval: 200 }).toBe(true);
  open();
  await expect.poll(() => news.at(-1)).toBe('end');
  const pieces = news.slice(1, -1);
  expect(pieces[0]?.length).toBeLessThanOrEqual(128 * 1024);
  expect(pieces.join('').length).toBe(bytes);
});
