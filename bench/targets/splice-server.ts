import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { obeyOrders } from '../order-channel.ts';

/**
 * The minimum of a gateway in Node that checks a key and rewrites the answer: Node's own HTTP server on the client
 * side, a socket on the provider side, bytes as one-byte text in between. The part of a chunk that a provider repeats
 * is replaced. Everything else is copied unchanged. It parses nothing, has no ledger and no log.
 */
const key = 'Bearer none';
const providerPart = '"id":"chatcmpl-benchmark-000001"';
const ownPart = '"id":"chatcmpl-of-our-own-000000001"';
const idle: Upstream[] = [];

obeyOrders(
  (upstreamPort) =>
    new Promise((resolve) => {
      const server = createServer((incoming, outgoing) => serve(incoming, outgoing, upstreamPort as number));
      server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () =>
        resolve((server.address() as AddressInfo).port),
      );
    }),
);

function serve(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  if (incoming.headers.authorization !== key) {
    outgoing.writeHead(401).end();
    return;
  }
  let body = '';
  incoming.setEncoding('latin1');
  incoming.on('data', (text) => (body += String(text)));
  incoming.on('end', () => {
    const upstream = idle.pop() ?? new Upstream(port);
    const head = `POST ${incoming.url} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    upstream.send(head + body, outgoing);
  });
}

/** One kept connection to the provider, and the answer on it. */
class Upstream {
  readonly #socket: Socket;
  #outgoing: ServerResponse | undefined;
  #hasHead = false;
  /** Received bytes of an incomplete frame. */
  #rest = '';

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text) => this.#read(String(text)));
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('close', () => this.#lost());
  }

  send(request: string, outgoing: ServerResponse): void {
    this.#outgoing = outgoing;
    this.#hasHead = false;
    this.#socket.write(request, 'latin1');
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) this.#socket.destroy();
    });
  }

  #lost(): void {
    if (idle.includes(this)) idle.splice(idle.indexOf(this), 1);
    this.#outgoing?.destroy();
  }

  #read(text: string): void {
    const outgoing = this.#outgoing;
    if (!outgoing) return;
    const body = this.#rest + text;
    let at = 0;
    if (!this.#hasHead) {
      at = body.indexOf('\r\n\r\n') + 4;
      if (at === 3) return this.#keep(body);
      this.#hasHead = true;
      outgoing.writeHead(Number(body.slice(9, 12)), ownHeaders);
    }
    let frames = '';
    for (;;) {
      const lineEnd = body.indexOf('\r\n', at);
      const size = lineEnd < 0 ? Number.NaN : Number.parseInt(body.slice(at, lineEnd), 16);
      const isComplete = lineEnd >= 0 && body.length >= lineEnd + 4 + size;
      if (!isComplete) break;
      if (size === 0) return this.#end(frames);
      frames += body.slice(lineEnd + 2, lineEnd + 2 + size);
      at = lineEnd + 4 + size;
    }
    this.#keep(body.slice(at));
    if (frames !== '') outgoing.write(frames.replaceAll(providerPart, ownPart), 'latin1');
  }

  #keep(rest: string): void {
    this.#rest = rest;
  }

  #end(frames: string): void {
    const outgoing = this.#outgoing;
    this.#outgoing = undefined;
    this.#rest = '';
    idle.push(this);
    outgoing?.end(frames.replaceAll(providerPart, ownPart), 'latin1');
  }
}

const ownHeaders = {
  'content-type': 'text/event-stream',
  'x-gateway-version': '20260101-000000',
  'x-gateway-request-id': '0123456789abcdef',
};
