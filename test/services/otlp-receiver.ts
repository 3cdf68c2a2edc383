import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ReceivedSpan, spansIn } from './otlp-spans.ts';

/**
 * A receiver of OTLP over HTTP in a process of its own. `POST /v1/traces` takes spans, `GET /spans` shows what came;
 * `/hang/v1/traces` never answers and `/refuse/v1/traces` takes nothing.
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
// Whoever started it may be killed in any way: then it ends too.
process.stdin.resume().once('end', () => process.exit());
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
