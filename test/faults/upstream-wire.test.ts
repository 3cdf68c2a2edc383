import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { countsTokens } from '../counted-tokens.ts';
import { expectEnvelope, expectGatewayHeaders } from '../expectations.ts';
import {
  answer,
  chunk,
  endings,
  type FakeProvider,
  fakeProvider,
  finish,
  gate,
  json,
  raw,
  type ScriptedReply,
  sse,
  text,
  usage,
} from '../fakes/fake-provider.ts';
import { type FakeProxy, fakeProxy } from '../fakes/fake-proxy.ts';
import { joined, model, patientTimeouts, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { expectAtRest } from '../at-rest.ts';

let gateway: TestGateway;
let impostor: FakeProvider;
let proxy: FakeProxy;
beforeAll(async () => {
  const pem = (name: string): string =>
    readFileSync(new URL(`../fixtures/upstreams/http1/${name}.pem`, import.meta.url), 'utf8');
  impostor = await fakeProvider({ tls: { key: pem('localhost-key'), cert: pem('localhost-cert') } });
  proxy = await fakeProxy(impostor.port);
  const ca_file = fileURLToPath(new URL('../fixtures/upstreams/http1/localhost-cert.pem', import.meta.url));
  gateway = await startTestGateway((base, provider) => {
    const upstream = (name: string, url: string, idle = patientTimeouts.idle) => ({
      name,
      kind: 'openai',
      base_url: url,
      timeouts: { ...patientTimeouts, idle },
    });
    return {
      ...base,
      // While headers are held back, an error still gets its own status code, even on a busy machine.
      waiting: { hold_headers: '5m' },
      upstreams: [
        upstream('fake', provider.url),
        upstream('impatient', provider.url, '400ms'),
        upstream('nowhere', 'http://nowhere.invalid/v1'),
        upstream('impostor', impostor.url),
        {
          ...upstream('behind-a-proxy', 'https://localhost/v1'),
          ca_file,
          proxy: `http://user:proxy-canary@127.0.0.1:${proxy.port}`,
        },
      ],
      models: [
        model('other', { context_window: 1_000_000 }),
        model('probe'),
        model('trickle', { routes: [{ upstream: 'impatient' }] }),
        model('by-proxy', { routes: [{ upstream: 'behind-a-proxy' }] }),
        ...['nowhere', 'impostor'].flatMap((name) => [
          model(`only-${name}`, { routes: [{ upstream: name }] }),
          model(`after-${name}`, { routes: [{ upstream: name }, { upstream: 'fake', model: 'spare', priority: 1 }] }),
        ]),
      ],
    };
  });
});
afterAll(async () => {
  await gateway.stop();
  await proxy.close();
  await impostor.close();
});
afterEach(() => expectAtRest(gateway.gateway));

const failed = { status: 502, code: 'upstream_failed', type: 'upstream_error' };
const properEnd = [finish('stop'), usage(3, 2), '[DONE]'];

async function replyTo(reply: ScriptedReply) {
  gateway.provider.respond('other', reply);
  const seen = await gateway.chat({ model: 'other' });
  expectGatewayHeaders(seen);
  return seen;
}

test.each(['nowhere', 'impostor'])(
  'the gateway never sends a request to an upstream at %s: another upstream answers, or the request fails',
  async (name) => {
    gateway.provider.respond('spare', answer('spare'));
    expect(joined(await gateway.chat({ model: `after-${name}` }))).toBe('spare');
    expectEnvelope(await gateway.chat({ model: `only-${name}` }), failed);
    expect(impostor.calls).toEqual([]);
  },
);

test('a retry after a new connection closes counts as an attempt', async () => {
  const { provider } = gateway;
  const fresh: number[] = [];
  provider.respond('probe', (writer, call) => {
    const isKept = provider.calls.filter(({ connection }) => connection === call.connection).length > 1;
    if (!isKept) fresh.push(call.connection);
    return isKept || fresh.length === 1 ? writer.cut() : answer('second')(writer, call);
  });
  const reply = await gateway.chat({ model: 'probe' });
  expect(joined(reply)).toBe('second');
  expect(fresh).toHaveLength(2);
  const id = reply.headers.get('x-gateway-request-id')!;
  await expect
    .poll(() => findRequest(gateway.gateway.store, id), { message: 'the record' })
    .toMatchObject({ attemptCount: 2 });
});

test('characters split at every byte arrive intact, and invalid bytes become replacement characters', async () => {
  expect(joined(await replyTo(answer('Grüße 你好 😀!', { split: 'bytes' })))).toBe('Grüße 你好 😀!');
  const invalid = Buffer.concat([
    Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"a'),
    Buffer.of(0xff, 0xc0),
    Buffer.from('b"}}]}\n\n'),
  ]);
  expect(joined(await replyTo(sse([{ raw: invalid }, ...properEnd])))).toBe('a\ufffd\ufffdb');
});

test('a line of one megabyte passes; an endless line ends in an error frame', async () => {
  const long = 'x'.repeat(1024 * 1024);
  expect(joined(await replyTo(sse([chunk({ content: long }), ...properEnd])))).toBe(long);
  const endless = { raw: `data: ${'y'.repeat(9 * 1024 * 1024)}` };
  const reply = await replyTo(sse([chunk({ content: 'one' }), endless, endings.hang]));
  expect(reply.chunks.at(-1).error).toMatchObject({ type: 'upstream_error' });
  expect(reply.text).not.toContain('[DONE]');
});

test('the gateway parses every feature of the event-stream format', async () => {
  const hello = JSON.stringify(chunk({ content: 'Hello' }));
  const steps = [
    { raw: `\ufeff: comment\r\nevent: chunk\r\nid: 7\r\nretry: 5\r\ndata:${hello}\r\n\r\n` },
    { raw: `data: ${hello.slice(0, 30)}\ndata: ${hello.slice(30)}\n\n` },
    { raw: `data: ${JSON.stringify({ ...finish('stop'), usage: { prompt_tokens: 3, completion_tokens: 2 } })}` },
  ];
  const reply = await replyTo(sse(steps));
  expect(joined(reply)).toMatch(/^Hello/);
  expect(reply.frames.at(-1)).toBe('[DONE]');
});

test('a stream with an error as bare JSON ends in an error frame', async () => {
  const tail = { raw: '{"error":{"message":"secret words","type":"server_error"}}\n\n' };
  const reply = await replyTo(sse([chunk({ content: 'one' }), tail]));
  expect(joined({ ...reply, chunks: reply.chunks.filter((frame) => frame.choices) })).toBe('one');
  expect(reply.chunks.at(-1).error).toMatchObject({ type: 'upstream_error' });
  expect(reply.text).not.toContain('secret words');
  expect(reply.text).not.toContain('[DONE]');
});

test('a redirect is not followed', async () => {
  let visits = 0;
  const canary: Server = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  const { port } = canary.address() as { port: number };
  expectEnvelope(await replyTo(json(302, {}, { location: `http://127.0.0.1:${port}/` })), failed);
  expect(visits).toBe(0);
  await new Promise((resolve) => canary.close(resolve));
});

test('an answer that trickles in without events times out, and its text so far is charged', async () => {
  const trickle: ScriptedReply = async (writer) => {
    writer.head(200, { 'content-type': 'text/event-stream' });
    await writer.body(`data: ${JSON.stringify(chunk({ content: 'one two' }))}\n\n`);
    while (!writer.isClosed) {
      await writer.body(':');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  gateway.provider.respond('trickle', trickle);
  await countsTokens(gateway);
  const reply = await gateway.chat({ model: 'trickle' });
  expect(reply.chunks.at(-1).error).toMatchObject({ code: 'upstream_timeout' });
  const id = reply.headers.get('x-gateway-request-id')!;
  await expect
    .poll(() => findRequest(gateway.gateway.store, id), { message: 'the record' })
    .toMatchObject({ usageSource: 'counted', completionTokens: 2, errorCase: 'upstream-timeout' });
});

test('a flood of tiny chunks arrives complete, while other requests are answered', async () => {
  const { opened, open } = gate();
  const index = gateway.provider.calls.filter(({ key }) => key === 'other').length;
  const half = Array.from({ length: 10_000 }, () => chunk({ content: 'x' }));
  gateway.provider.respond('probe', answer('still here'));
  const flood = replyTo(sse([...half, opened, ...half, ...properEnd], { split: 'whole' }));
  await gateway.provider.call('other', index).received;
  expect(joined(await gateway.chat({ model: 'probe' }))).toBe('still here');
  open();
  expect(joined(await flood)).toHaveLength(20_000);
});

test('the gateway closes the connection of a provider that ignores an abort', async () => {
  const ignoreAbort: ScriptedReply = async (writer) => {
    writer.head(200, { 'content-type': 'text/event-stream' });
    while (!writer.isClosed) {
      await writer.body(`data: ${JSON.stringify(chunk({ content: 'x' }))}\n\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const index = gateway.provider.calls.filter(({ key }) => key === 'other').length;
  gateway.provider.respond('other', ignoreAbort);
  const client = new AbortController();
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'x' }] }),
    signal: client.signal,
  });
  expect(response.status).toBe(200);
  client.abort();
  // The provider sends until its connection is closed.
  await gateway.provider.call('other', index).finished;
});

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n';

test.each([
  ['is compressed', text(200, 'text/event-stream', 'x', { 'content-encoding': 'gzip' })],
  ['is shorter than its content-length', raw(`${head}content-length: 99\r\n\r\n: hi\n\n`)],
  ['has two lengths', raw(`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`)],
  ['has broken chunks', raw(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`)],
])('a response that %s is an upstream failure', async (_fault, reply) => {
  expectEnvelope(await replyTo(reply), failed);
});

test('interim responses, trailers and repeated headers do no harm, and are not forwarded', async () => {
  const body = [chunk({ content: 'Hello' }), ...properEnd]
    .map((each) => `data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`)
    .join('');
  const framed = `${body.length.toString(16)};a=b\r\n${body}\r\n0\r\nx-sum: 1\r\n\r\n`;
  const early = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n';
  const doubled = `${head}transfer-encoding: chunked\r\nx-provider: 1\r\nx-provider: 2\r\nset-cookie: a=b\r\n\r\n`;
  const reply = await replyTo(raw(`${early}${doubled}${framed}`));
  expect(joined(reply)).toBe('Hello');
  for (const name of ['x-provider', 'set-cookie', 'link', 'x-sum']) expect(reply.headers.has(name)).toBe(false);
});

test('an answer with another model name, all in one chunk, is rewritten into the order of the contract', async () => {
  const everything = {
    id: 'x',
    model: 'another',
    choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  };
  const reply = await replyTo(sse([everything, '[DONE]']));
  expect(new Set(reply.chunks.map((each) => each.model))).toEqual(new Set(['other']));
  expect(reply.chunks[0].choices[0].delta.role).toBe('assistant');
  const reasons = reply.chunks.map(({ choices }) => choices[0]?.finish_reason);
  expect(reasons.filter(Boolean)).toEqual(['stop']);
  expect(reply.chunks.find(({ choices }) => choices[0]?.finish_reason).choices[0].delta).not.toHaveProperty('content');
  expect(reply.chunks.at(-1).usage).toMatchObject({ prompt_tokens: 1, completion_tokens: 1 });
});

test('a provider with a private CA answers through a proxy; a refusal by the proxy is an upstream failure', async () => {
  impostor.respond('by-proxy', answer('Hello from afar'));
  expect(joined(await gateway.chat({ model: 'by-proxy' }))).toBe('Hello from afar');
  expect(proxy.requests).toEqual([{ line: 'CONNECT localhost:443', authorization: expect.stringMatching(/^Basic /) }]);
  for (const status of [407, 403, 503]) {
    proxy.behave(status);
    // Close the connections that are still open.
    await impostor.close();
    const refused = await gateway.chat({ model: 'by-proxy' });
    expectEnvelope(refused, failed);
    expect(refused.text).not.toContain('proxy');
  }
});
