import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ReceivedSpan, spansIn } from './otlp-spans.ts';

/**
 * A collector for OTLP over HTTP in its own process. `POST /v1/traces` accepts spans, `GET /spans` returns them.
 * `/hang/v1/traces` never answers, and `/refuse/v1/traces` rejects everything.
 */
const received: ReceivedSpan[] = [];
let tries = 0;

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await request.toArray()) as Buffer[]);
}

const server = createServer((request, response) => {
  const { url = '' } = request;
  if (url === '/spans') response.end(JSON.stringify({ spans: received, tries }));
  else tries += 1;
  if (url.startsWith('/refuse')) response.writeHead(400).end();
  if (url !== '/v1/traces') return;
  void bodyOf(request).then((body) => {
    received.push(...spansIn(body));
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
});
// Exits with the process that started it, even if that one is killed.
process.stdin.resume().once('end', () => process.exit());
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
