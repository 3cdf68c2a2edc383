import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { obeyOrders } from '../order-channel.ts';

/** The minimum of a Node proxy: node:http in, node:http out over kept connections, bytes piped without parsing. */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 1024 });

obeyOrders(
  (upstreamPort) =>
    new Promise((resolve) => {
      const server = createServer((incoming, outgoing) => forward(incoming, outgoing, upstreamPort as number));
      server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
        resolve((server.address() as AddressInfo).port);
      });
    }),
);

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void {
  const { method, url, headers } = incoming;
  const upstream = request({ agent, host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, { 'content-type': answer.headers['content-type'] });
    answer.pipe(outgoing);
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) upstream.destroy();
  });
  incoming.pipe(upstream);
}
