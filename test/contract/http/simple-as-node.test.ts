import type { IncomingMessage } from 'node:http';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { defaultHttpLimits } from '../../../src/serving/http/limits.ts';
import { simpleHead, simpleRoutes } from '../../../src/serving/http/acceptor/simple-head.ts';
import type { Route } from '../../../src/serving/http/route.ts';
import { RawClient } from '../../raw-client.ts';
import { isDeep } from '../../depth.ts';
import { startHttpServer } from './http-server.ts';

/** Returns the request as Node's server and admission parse it. */
const route: Route = {
  method: 'POST',
  path: '/plain',
  handle: async (exchange) => {
    const { text } = await exchange.readJson();
    exchange.json(200, { method: exchange.method, path: exchange.path, host: exchange.host, text });
  },
};

const routes = simpleRoutes([{ ...route, takesSimpleRequests: true }]);

const tokenish = fc.string({ unit: fc.constantFrom(...'aZ9-_.!~*:( \t\xe4\x7f'), minLength: 1, maxLength: 6 });
const valueish = fc.string({ unit: fc.constantFrom(...'aZ9 \t,;="\x80\xff\x0b\x7f\0'), maxLength: 8 });

const knownHeaders = fc.constantFrom(
  'Connection: keep-alive',
  'connection:close',
  'Transfer-Encoding: chunked',
  'Expect: 100-continue',
  'Upgrade: websocket',
  'Proxy-Connection: close',
  'Keep-Alive: timeout=5',
  'TE: trailers',
  'Trailer: x',
  'Authorization:  Bearer a\t',
  'x-api-key: a',
  'Host: b',
  'Host: [::1]:80',
  'Content-Length: 2',
  'Content-Length: 02',
  'Content-Encoding: identity',
  'Cookie: a=b',
  'set-cookie: a=b',
  'Content-Type: application/json',
);

const headerLine = fc.oneof(
  { weight: 3, arbitrary: knownHeaders },
  { weight: 1, arbitrary: fc.tuple(tokenish, valueish).map(([name, value]) => `${name}:${value}`) },
);

const request = fc.tuple(fc.array(headerLine, { maxLength: 5 }), fc.boolean()).map(([lines, isUsual]) => {
  const all = isUsual ? ['Host: a', 'Content-Type: application/json', ...lines, 'content-length: 2'] : lines;
  return `POST /plain HTTP/1.1\r\n${all.map((line) => `${line}\r\n`).join('')}\r\n{}`;
});

const noise = fc.constantFrom(
  '\r',
  '\n',
  '\r\n',
  '\0',
  ' ',
  '\t',
  ':',
  ',',
  '0',
  '2',
  '\xff',
  'HTTP/1.0',
  'Host: b\r\n',
  '',
);

/** A request with up to two random replacements. */
const damaged = fc
  .tuple(request, fc.array(fc.tuple(fc.nat(), fc.nat(3), noise), { maxLength: 2 }))
  .map(([text, damages]) =>
    damages.reduce((changed, [at, length, piece]) => {
      const position = at % changed.length;
      return changed.slice(0, position) + piece + changed.slice(position + length);
    }, text),
  );

/** The head of a request that the acceptor accepts, if the body is complete and nothing follows it. */
function acceptedHead(bytes: Buffer): ReturnType<typeof simpleHead> {
  const head = simpleHead(bytes, routes, defaultHttpLimits);
  return head && bytes.length === head.bodyStart + head.bodyBytes ? head : undefined;
}

test('the acceptor accepts more than 20 of 500 generated requests', () => {
  // A fixed seed, because the number depends on chance.
  const sample = fc.sample(damaged, { seed: 1, numRuns: 500 });
  expect(sample.filter((text) => acceptedHead(Buffer.from(text, 'latin1'))).length).toBeGreaterThan(20);
});

test('Node’s server and admission accept every request that the acceptor accepts, and parse it in the same way', async () => {
  const { port, server } = await startHttpServer({ routes: [route], hasAcceptor: false });
  let seen: IncomingMessage[] = [];
  server.node.on('request', (message) => seen.push(message));
  await fc.assert(
    fc.asyncProperty(damaged, async (text) => {
      const bytes = Buffer.from(text, 'latin1');
      const head = acceptedHead(bytes);
      if (!head) return;
      seen = [];
      const client = await RawClient.connect(port);
      client.send(bytes);
      const response = await client.response();
      client.destroy();
      expect(seen).toHaveLength(1);
      for (const [name, value] of Object.entries(seen[0]!.headers)) expect(head.headers.get(name)).toBe(String(value));
      expect(seen[0]!.rawHeaders).toHaveLength(head.headers.size * 2);
      // Only the route reports an invalid body, after both parsers.
      const body = bytes.toString('utf8', head.bodyStart);
      if (response.status === 200)
        expect(JSON.parse(response.body)).toMatchObject({ method: 'POST', path: '/plain', text: body });
      else expect(JSON.parse(response.body).error.code).toBe('unparseable-body');
    }),
    { numRuns: isDeep ? 3000 : 600 },
  );
});
