import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeep } from '../../depth.ts';
import { RawClient } from '../../raw-client.ts';
import { withAndWithoutAcceptor, expectStamped, get, post, startHttpServer } from './http-server.ts';

const seeds = [
  get('/v1/models', 'Accept: */*\r\nConnection: keep-alive\r\n'),
  post('/echo', '{"a":[1,2,{"b":null}]}'),
  post('/stream', '{}'),
  'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n',
];

const noise = fc.constantFrom(
  '\r',
  '\n',
  '\r\n',
  '\0',
  ' ',
  ':',
  ',',
  '0',
  '9',
  'chunked',
  'Host: b\r\n',
  '\xff',
  'HTTP/1.0',
  '',
);

/** A few requests one after the other, with some of their bytes replaced. */
const damaged = fc
  .tuple(
    fc.array(fc.constantFrom(...seeds), { minLength: 1, maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(6), noise), { minLength: 1, maxLength: 4 }),
  )
  .map(([requests, damages]) =>
    damages.reduce((text, [at, length, piece]) => {
      const position = at % text.length;
      return text.slice(0, position) + piece + text.slice(position + length);
    }, requests.join('')),
  );

/** The same requests unchanged. */
const untouched = fc.array(fc.constantFrom(...seeds), { minLength: 1, maxLength: 3 }).map((all) => all.join(''));

const expected = new Set([100, 200, 204, 400, 404, 405, 413, 417, 431]);

withAndWithoutAcceptor(() => {
  test('every reply to random bytes is well-formed', async () => {
    const { port, server } = await startHttpServer();
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, fc.string({ unit: 'binary', minLength: 1 })), async (bytes) => {
        const client = await RawClient.connect(port);
        client.send(bytes);
        client.finish();
        const text = await client.rest();
        client.destroy();
        const heads = text.split(/(?=HTTP\/1\.1 \d{3} )/).filter((part) => part !== '');
        for (const head of heads) {
          const status = Number(head.slice(9, 12));
          expect(expected).toContain(status);
          if (status >= 200) expectStamped({ status, headers: headersOf(head), body: '', raw: head });
        }
        expect(client.error).toBeUndefined();
      }),
      { numRuns: isDeep ? 150 : 50 },
    );
    await expect.poll(() => server.inFlight).toBe(0);
  });

  function headersOf(head: string): Record<string, string> {
    const lines = head.split('\r\n\r\n')[0]!.split('\r\n').slice(1);
    return Object.fromEntries(
      lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
  }
});

/** The same bytes, split at random positions. */
const inPieces = fc.tuple(fc.oneof(damaged, untouched), fc.array(fc.nat(), { maxLength: 4 })).map(([text, cuts]) => {
  const at = [...new Set(cuts.map((cut) => cut % text.length))].toSorted((one, other) => one - other);
  return [0, ...at].map((from, index) => text.slice(from, at[index])).filter((piece) => piece !== '');
});

test('the acceptor replies to random bytes, in random pieces, as Node’s server does', async () => {
  const [acceptor, node] = [
    await startHttpServer({ hasAcceptor: true }),
    await startHttpServer({ hasAcceptor: false }),
  ];
  await fc.assert(
    fc.asyncProperty(inPieces, async (pieces) => {
      const [byAcceptor, byNode] = await Promise.all([acceptor, node].map(({ port }) => answersTo(port, pieces)));
      // A server that has not read the body of a rejected request closes the connection. The acceptor may have read it.
      const count = Math.min(
        ...[byAcceptor!, byNode!].map((answers) => answers.findIndex(isLast) + 1 || answers.length),
      );
      expect(byAcceptor!.slice(0, count).map(withoutKeepAlive)).toEqual(byNode!.slice(0, count).map(withoutKeepAlive));
      const isClosed = [byAcceptor!, byNode!].some((answers) => answers.some(isLast));
      if (!isClosed) expect(byAcceptor!.length).toBe(byNode!.length);
    }),
    { numRuns: isDeep ? 1500 : 100 },
  );
});

/** All replies until the server closes the connection, without request ids and dates. */
async function answersTo(port: number, pieces: readonly string[]): Promise<readonly string[]> {
  const client = await RawClient.connect(port);
  for (const piece of pieces) {
    client.send(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  client.finish();
  const text = await client.rest();
  client.destroy();
  const same = text.replaceAll(/request-\d+/g, 'request-id').replaceAll(/^date: .+$/gim, 'date');
  return same.split(/(?=HTTP\/1\.1 \d{3} )/).filter((part) => part !== '');
}

const isLast = (answer: string): boolean => /^connection: close$/im.test(answer);
const withoutKeepAlive = (answer: string): string => answer.replaceAll(/^(connection|keep-alive): .+\r\n/gim, '');
