import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { obeyOrders } from '../order-channel.ts';

/**
 * The least a gateway in Node can do that checks a key and makes the answer its own: bytes as one-byte text from socket
 * to socket, the part of a chunk that a provider repeats replaced by ours, everything else copied as it stands. It
 * trusts its peers in every other way, and is no more than a floor to measure by.
 */
const key = 'Bearer none';
const providerPart = '"id":"chatcmpl-benchmark-000001"';
const ownPart = '"id":"chatcmpl-of-our-own-000000001"';
const idle: Upstream[] = [];

obeyOrders(
  (upstreamPort) =>
    new Promise((resolve) => {
      const server = createServer({ noDelay: true }, (socket) => serve(socket, upstreamPort as number));
      server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () =>
        resolve((server.address() as AddressInfo).port),
      );
    }),
);

function serve(client: Socket, port: number): void {
  let pending = '';
  client.setEncoding('latin1');
  client.on('error', () => client.destroy());
  client.on('data', (text) => {
    pending += String(text);
    const end = pending.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0);
    if (pending.length < end + 4 + length) return;
    if (!pending.includes(key)) {
      client.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const body = pending.slice(end + 4, end + 4 + length);
    pending = pending.slice(end + 4 + length);
    const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
    (idle.pop() ?? new Upstream(port)).send(head + body, client);
  });
}

class Upstream {
  readonly #socket: Socket;
  #client: Socket | undefined;
  #hasHead = false;

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text) => this.#read(String(text)));
    this.#socket.on('error', () => this.#socket.destroy());
  }

  send(request: string, client: Socket): void {
    this.#client = client;
    this.#hasHead = false;
    this.#socket.write(request, 'latin1');
  }

  #read(text: string): void {
    const client = this.#client;
    if (!client) return;
    let out = '';
    let body = text;
    if (!this.#hasHead) {
      this.#hasHead = true;
      out = ownHead;
      body = text.slice(text.indexOf('\r\n\r\n') + 4);
    }
    let frames = '';
    let isLast = false;
    for (let at = 0; at < body.length; ) {
      const lineEnd = body.indexOf('\r\n', at);
      const size = Number.parseInt(body.slice(at, lineEnd), 16);
      isLast = size === 0;
      frames += body.slice(lineEnd + 2, lineEnd + 2 + size);
      at = lineEnd + 4 + size;
    }
    frames = frames.replaceAll(providerPart, ownPart);
    if (frames !== '') out += `${frames.length.toString(16)}\r\n${frames}\r\n`;
    if (isLast) {
      out += '0\r\n\r\n';
      this.#client = undefined;
      idle.push(this);
    }
    client.write(out, 'latin1');
  }
}

const ownHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-gateway-version: 20260101-000000\r\n' +
  'x-gateway-request-id: 0123456789abcdef\r\ntransfer-encoding: chunked\r\n\r\n';
