import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { systemClock } from '../../src/core/time/clock.ts';
import { ClientConnection } from '../../src/serving/http/client-connection.ts';
import { isSimpleExchange } from '../../src/serving/http/exchange.ts';
import { Acceptor } from '../../src/serving/http/acceptor/acceptor.ts';
import { defaultHttpLimits } from '../../src/serving/http/limits.ts';
import type { Route } from '../../src/serving/http/route.ts';
import type { Micro } from './measure.ts';

const body = JSON.stringify({
  model: 'one-write',
  stream: true,
  messages: [{ role: 'user', content: 'Hello there.' }],
});

/** The headers of a client library. */
const request = Buffer.from(
  `POST /v1/chat/completions HTTP/1.1\r
host: gateway.example:8080\r
connection: keep-alive\r
accept: application/json\r
content-type: application/json\r
user-agent: OpenAI/JS 6.9.1\r
x-stainless-retry-count: 0\r
x-stainless-lang: js\r
x-stainless-package-version: 6.9.1\r
x-stainless-os: Linux\r
x-stainless-arch: x64\r
x-stainless-runtime: node\r
x-stainless-runtime-version: v24.11.0\r
authorization: Bearer sk-0123456789abcdef0123456789abcdef0123456789abcdef\r
accept-language: *\r
sec-fetch-mode: cors\r
accept-encoding: gzip, deflate\r
content-length: ${Buffer.byteLength(body)}\r
\r
${body}`,
);

const frames = 'data: {"choices":[{"delta":{"content":"Hello."}}]}\n\ndata: [DONE]\n\n';

const route: Route = {
  method: 'POST',
  path: '/v1/chat/completions',
  takesSimpleRequests: true,
  handle: (exchange) => {
    if (!isSimpleExchange(exchange) || exchange.header('authorization') === undefined)
      throw new Error('The request is not simple.');
    exchange.releaseBody();
    exchange.openEventStream().endLatin1(frames);
  },
};

/** A socket whose other side accepts all data at once. */
class ReadySocket extends EventEmitter {
  readonly destroyed = false;
  readonly bytesWritten = 0;
  written = '';

  isPaused(): boolean {
    return false;
  }

  write(text: string, _encoding: string, sent: () => void): boolean {
    this.written = text;
    sent();
    return true;
  }
}

const acceptor = new Acceptor({
  options: {
    routes: [route],
    limits: defaultHttpLimits,
    // All requests arrive at the same time, so that none of them has to wait.
    clock: { ...systemClock, elapsed: () => 0 },
    stamp: () => '20260102-030405',
    newId: () => 'request-1',
    explain: never,
    observe: () => {},
  },
  endsConnections: false,
  begun: () => {},
  finished: () => {},
  serve: never,
});

const socket = new ReadySocket();
const asSocket = socket as unknown as Socket;
acceptor.read(asSocket, new ClientConnection(asSocket, 1000));

function never(): never {
  throw new Error('A simple request must not call this.');
}

/** One request that arrives in one piece, from its bytes to the bytes of its reply. */
export const simpleRequestMicros: readonly Micro[] = [
  {
    name: 'a simple request and its reply',
    floorName: 'its bytes as text, the lines of its head, a fixed reply',
    work: () => {
      socket.emit('data', request);
      return socket.written;
    },
    floor: () => {
      const lines = request.toString('latin1', 0, request.indexOf('\r\n\r\n')).split('\r\n');
      return `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nid: ${lines.length}\r\n\r\n${frames}0\r\n\r\n`;
    },
  },
];
