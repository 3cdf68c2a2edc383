import { type AddressInfo, createServer, type Socket } from 'node:net';
import { answerEnd, answerHead, closingFrames, contentFrame, httpChunk, stampedFrame } from './answer-bytes.ts';
import { obeyOrders } from './order-channel.ts';
import { RequestReader } from './request-reader.ts';
import { chunksPerAnswer, heldGapMs, pacedGapMs, separateGapMs, type Workload } from './workload.ts';

/** Orders to this process. The reply is its port. `release` completes every held stream. */
export type UpstreamOrder = 'port' | 'release';

const positions = Array.from({ length: chunksPerAnswer }, (_, position) => position);
const separateChunks = positions.map((position) => httpChunk(contentFrame('separate-writes', position)));
const wholeBody =
  positions.map((position) => contentFrame('one-write', position)).join('') + closingFrames('one-write');
const completeAnswer = answerHead + httpChunk(wholeBody) + answerEnd;
const shortBody = contentFrame('one-chunk', 0) + closingFrames('one-chunk');
const shortAnswer = answerHead + httpChunk(shortBody) + answerEnd;

serve();

function serve(): void {
  const held = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    const reader = new RequestReader();
    socket.on('error', () => socket.destroy());
    socket.on('close', () => held.delete(socket));
    socket.on('data', (bytes) => {
      const body = reader.push(bytes);
      if (body !== undefined) answer(socket, body, held);
    });
  });
  server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () =>
    obeyOrders((order) => {
      if ((order as UpstreamOrder) === 'release') for (const socket of held) release(socket, held);
      return (server.address() as AddressInfo).port;
    }),
  );
}

function answer(socket: Socket, body: string, held: Set<Socket>): void {
  const workload = /"model": ?"([a-z-]+)"/.exec(body)?.[1] as Workload | undefined;
  switch (workload) {
    case 'one-write':
      socket.write(completeAnswer, 'latin1');
      return;
    case 'one-chunk':
      socket.write(shortAnswer, 'latin1');
      return;
    case 'separate-writes':
      writeInTurn(socket, workload, separateGapMs, (position) => separateChunks[position] ?? '');
      return;
    case 'paced':
      writeInTurn(socket, workload, pacedGapMs, (position) => httpChunk(stampedFrame('paced', position)));
      return;
    case 'held':
      hold(socket, held);
      return;
    default:
      socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n', 'latin1');
  }
}

function writeInTurn(socket: Socket, workload: Workload, gapMs: number, chunkAt: (position: number) => string): void {
  let position = 0;
  socket.write(answerHead + chunkAt(position), 'latin1');
  const timer = setTimeout(() => {
    if (socket.destroyed) return;
    position += 1;
    const last = position === chunksPerAnswer - 1;
    socket.write(last ? chunkAt(position) + closing(workload) : chunkAt(position), 'latin1');
    if (!last) timer.refresh();
  }, gapMs);
}

function hold(socket: Socket, held: Set<Socket>): void {
  held.add(socket);
  socket.write(answerHead + httpChunk(contentFrame('held', 0)), 'latin1');
  const timer = setTimeout(() => {
    if (!held.has(socket)) return;
    // With its time, because LiteLLM breaks off a stream that repeats one chunk a hundred times.
    socket.write(httpChunk(stampedFrame('held', 1)), 'latin1');
    timer.refresh();
  }, heldGapMs);
}

function release(socket: Socket, held: Set<Socket>): void {
  held.delete(socket);
  socket.write(closing('held'), 'latin1');
}

function closing(workload: Workload): string {
  return httpChunk(closingFrames(workload)) + answerEnd;
}
