import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { ask, chatRequest, type Heard } from '../../test/ask-upstream.ts';
import {
  answer,
  chunk,
  endings,
  type FakeProvider,
  fakeProvider,
  finish,
  gate,
  hang,
  json,
  raw,
  type Reply,
  reset,
  sse,
  text,
  usage,
} from '../../test/fake-provider.ts';
import { systemClock } from '../core/clock.ts';
import { plainQuirks } from '../dialects/chat-completions/quirks.ts';
import { openAiCompatible } from './openai-compatible.ts';
import type { Upstream } from './upstream.ts';

const secret = 'acme-0123456789-secret';

const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of closing.splice(0)) await thing.close();
});

function adapter(
  baseUrl: string,
  timeouts: Partial<{ connect: number; firstEvent: number; idle: number; total: number }> = {},
): Upstream {
  const upstream = openAiCompatible(
    {
      name: 'acme',
      wireFormat: 'chat-completions',
      baseUrl,
      apiKeys: [secret],
      headers: {},
      timeouts: { connect: 2000, firstEvent: 5000, idle: 5000, total: 10_000, ...timeouts },
      quirks: plainQuirks,
    },
    { clock: systemClock, newId: () => 'id' },
  );
  closing.push(upstream);
  return upstream;
}

async function provider(reply: Reply): Promise<FakeProvider> {
  const provider = await fakeProvider();
  closing.push(provider);
  provider.respond('m', reply);
  return provider;
}

/** What becomes of a request to which the provider replies like this. */
async function asked(reply: Reply, timeouts?: Parameters<typeof adapter>[1]): Promise<Heard> {
  return ask(adapter((await provider(reply)).url, timeouts), 'm');
}

const hello = chunk({ role: 'assistant', content: 'Hello' });
const failed = { case: 'upstream-failed' };
const timedOut = { case: 'upstream-timeout' };

describe('a provider that cannot be reached', () => {
  test('because nobody listens is a failure that names the upstream', async () => {
    const gone = await provider(hang());
    await gone.close();
    const { outcome, error } = await ask(adapter(gone.url), 'm');
    expect([outcome, error]).toMatchObject(['refused', failed]);
    expect((error as Error).cause).toMatchObject({ message: expect.stringMatching(/^upstream acme: .*ECONNREFUSED/) });
  });

  test.each(['http://nowhere.invalid/v1', 'https://nowhere.invalid/v1'])(
    'because %s has no address is a failure',
    async (url) => {
      expect(await ask(adapter(url), 'm')).toMatchObject({ outcome: 'refused', error: failed });
    },
  );

  test('because nobody vouches for its certificate is a failure', async () => {
    const pem = (name: string): string => readFileSync(new URL(`http1/fixtures/${name}.pem`, import.meta.url), 'utf8');
    const impostor = await fakeProvider({ tls: { key: pem('localhost-key'), cert: pem('localhost-cert') } });
    closing.push(impostor);
    expect(await ask(adapter(impostor.url), 'm')).toMatchObject({ outcome: 'refused', error: failed });
    expect(impostor.calls).toEqual([]);
  });
});

test('a provider that takes too long to accept a connection is a timeout', async () => {
  const silent = await provider(hang());
  const upstream = adapter(silent.url.replace('http', 'https'), { connect: 40 });
  expect(await ask(upstream, 'm')).toMatchObject({ outcome: 'refused', error: timedOut });
});

describe('a provider that breaks off', () => {
  test('before it answers is a failure', async () => {
    expect(await asked(reset())).toMatchObject({ outcome: 'refused', error: failed });
    expect(await asked((writer) => writer.cut())).toMatchObject({ outcome: 'refused', error: failed });
  });

  test.each([endings.reset, endings.cut])(
    'in the middle of an answer fails it after what was said (%o)',
    async (ending) => {
      const said = gate();
      const begun = await provider(sse([hello, said.opened, ending]));
      const flow = await adapter(begun.url).open(
        { model: 'm', thinking: false, request: chatRequest(), credential: 0 },
        new AbortController().signal,
      );
      const heard = await new Promise((resolve) => {
        flow.start({ events: () => said.open(), end: () => resolve('end'), fail: resolve });
      });
      expect(heard).toMatchObject(failed);
    },
  );

  test('with a proper end of the body but no finish fails the answer', async () => {
    expect(await asked(sse([hello]))).toMatchObject({ outcome: 'failed', text: 'Hello', error: failed });
    expect(await asked(sse([]))).toMatchObject({ outcome: 'failed', error: failed });
  });

  test('after the finish has said all there is to say', async () => {
    expect(await asked(sse([hello, finish('stop')]))).toMatchObject({ outcome: 'complete', text: 'Hello' });
    const untilClose = { headers: { connection: 'close' } };
    expect(await asked(sse([hello, finish('stop'), endings.cut], untilClose))).toMatchObject({ outcome: 'complete' });
  });
});

describe('a provider that hangs', () => {
  test('before its headers is given up after the first-event timeout', async () => {
    const silent = await provider(hang());
    expect(await ask(adapter(silent.url, { firstEvent: 40 }), 'm')).toMatchObject({
      outcome: 'refused',
      error: timedOut,
    });
    await silent.call('m').aborted;
  });

  test('after its headers, or in the middle of a line, is given up after the first-event timeout', async () => {
    expect(await asked(sse([endings.hang]), { firstEvent: 40 })).toMatchObject({ error: timedOut });
    expect(await asked(sse([{ raw: 'data: {"choi' }, endings.hang]), { firstEvent: 40 })).toMatchObject({
      error: timedOut,
    });
  });

  test('during an answer is given up after the idle timeout', async () => {
    const stuck = await provider(sse([hello, endings.hang]));
    expect(await ask(adapter(stuck.url, { idle: 40 }), 'm')).toMatchObject({
      outcome: 'failed',
      text: 'Hello',
      error: timedOut,
    });
    await stuck.call('m').aborted;
  });

  test('but keeps sending comments is given up all the same', async () => {
    const trickle: Reply = async (writer) => {
      writer.head(200, { 'content-type': 'text/event-stream' });
      await writer.body(`data: ${JSON.stringify(hello)}\n\n`);
      while (!writer.isClosed) {
        await writer.body(': still here\n\n');
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    expect(await asked(trickle, { idle: 60 })).toMatchObject({ outcome: 'failed', text: 'Hello', error: timedOut });
  });

  test('but keeps sending events is given up after the total timeout', async () => {
    const endless: Reply = async (writer) => {
      writer.head(200, { 'content-type': 'text/event-stream' });
      while (!writer.isClosed) {
        await writer.body(`data: ${JSON.stringify(hello)}\n\n`);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    };
    expect(await asked(endless, { total: 80 })).toMatchObject({ outcome: 'failed', error: timedOut });
  });
});

describe('a stream that departs from the plain format', () => {
  const complete = { outcome: 'complete', text: 'Hello' };

  test('may lack usage', async () => {
    const { events, ...heard } = await asked(sse([hello, finish('stop'), '[DONE]']));
    expect(heard).toMatchObject(complete);
    expect(events.some(({ type }) => type === 'usage')).toBe(false);
  });

  test('may repeat usage: the last one counts', async () => {
    const { events } = await asked(sse([usage(5, 1), hello, usage(5, 2), finish('stop'), usage(5, 3), '[DONE]']));
    expect(events.filter(({ type }) => type === 'usage')).toMatchObject([{ usage: { completionTokens: 3 } }]);
  });

  test('may hold a few lines of garbage, but not many', async () => {
    expect(await asked(sse([hello, '{"broken', 'nonsense', finish('stop'), '[DONE]']))).toMatchObject(complete);
    const heard = await asked(sse([hello, ...Array<string>(11).fill('nonsense'), finish('stop'), '[DONE]']));
    expect(heard).toMatchObject({ outcome: 'failed', error: failed });
  });

  test('may cut characters in two at any byte', async () => {
    expect(await asked(answer('Grüße 你好 😀!', { split: 'bytes' }))).toMatchObject({
      outcome: 'complete',
      text: 'Grüße 你好 😀!',
    });
  });

  test('may hold bytes that are not UTF-8', async () => {
    const broken = Buffer.concat([
      Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"a'),
      Buffer.of(0xff, 0xc0),
      Buffer.from('b"}}]}\n\n'),
    ]);
    expect((await asked(sse([{ raw: broken }, finish('stop'), '[DONE]']))).text).toBe('a\ufffd\ufffdb');
  });

  test('may have a line of a megabyte, but not one without end', async () => {
    const long = 'x'.repeat(1024 * 1024);
    expect((await asked(sse([chunk({ content: long }), finish('stop'), '[DONE]']))).text).toBe(long);
    expect(await asked(sse([hello, { raw: `data: ${'y'.repeat(9 * 1024 * 1024)}` }, endings.hang]))).toMatchObject({
      outcome: 'failed',
      error: failed,
    });
  });

  test.each(['\n', '\r\n', '\r'] as const)('may end its lines with %j', async (lineEnd) => {
    expect(await asked(sse([hello, finish('stop'), '[DONE]'], { lineEnd }))).toMatchObject(complete);
  });

  test('may use all of the event-stream format', async () => {
    const frame = JSON.stringify(hello);
    const steps = [
      { raw: `\ufeff: comment\nevent: chunk\nid: 7\nretry: 5\ndata:${frame}\n\n` },
      { raw: `data: ${frame.slice(0, 30)}\ndata: ${frame.slice(30)}\n\n` },
      { raw: `data: ${JSON.stringify(finish('stop'))}` },
    ];
    expect((await asked(sse(steps))).text).toMatch(/^Hello/);
  });

  test('may put everything into one chunk, repeat roles and echo another model', async () => {
    const everything = {
      id: 'x',
      model: 'another',
      choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    };
    const { events, ...heard } = await asked(sse([everything, '[DONE]']));
    expect(heard).toMatchObject(complete);
    expect(events.map(({ type }) => type)).toEqual(['text-delta', 'finish', 'usage']);
  });
});

describe('an error inside a 200', () => {
  const overloaded = { error: { message: 'overloaded', type: 'server_error', code: 503 } };

  test('as the first event fails before any event', async () => {
    expect(await asked(sse([overloaded]))).toMatchObject({ events: [], error: failed });
    const refused = { error: { message: 'no', type: 'invalid_request_error', code: 'unsupported_value' } };
    expect(await asked(sse([refused]))).toMatchObject({
      events: [],
      error: { case: 'upstream-rejected', code: 'unsupported_value' },
    });
  });

  test('later fails after what was said', async () => {
    expect(await asked(sse([hello, overloaded, '[DONE]']))).toMatchObject({
      outcome: 'failed',
      text: 'Hello',
      error: failed,
    });
    expect(await asked(sse([hello, overloaded], { split: 'whole' }))).toMatchObject({
      outcome: 'failed',
      text: 'Hello',
      error: failed,
    });
    expect(await asked(sse([hello, { raw: JSON.stringify(overloaded) }]))).toMatchObject({
      outcome: 'failed',
      error: failed,
    });
  });

  test('as a JSON body fails as its status', async () => {
    expect(await asked(json(200, overloaded))).toMatchObject({ outcome: 'refused', error: failed });
  });
});

describe('a status', () => {
  const body = { error: { message: 'try again', type: 'some_type', code: 'some_code' } };

  test.each([400, 404, 405, 409, 413, 415, 422])(
    '%i is a refusal of the request, under the provider’s code',
    async (status) => {
      const { error } = await asked(json(status, body));
      expect(error).toMatchObject({ case: 'upstream-rejected', code: 'some_code', detail: undefined });
    },
  );

  test.each([401, 402, 403, 429, 500, 502, 503, 529])('%i is a failure of the provider', async (status) => {
    const { error } = await asked(json(status, body, { 'retry-after': '60' }));
    expect(error).toMatchObject({ case: 'upstream-failed', code: undefined, cause: { upstream: 'acme', status } });
  });

  test.each([408, 504, 524])('%i is a timeout', async (status) => {
    expect((await asked(json(status, body))).error).toMatchObject({ case: 'upstream-timeout' });
  });

  test.each([
    [{ error: { message: 'x', type: 'invalid_request_error', code: null } }, 'invalid_request_error'],
    [{ error: { message: 'x', code: 'a sentence, not a code' } }, undefined],
    [{ error: 'just text' }, undefined],
    [{ object: 'error', message: 'x', type: 'bad_thing', code: 3051 }, 'bad_thing'],
    [[{ error: { code: 400, message: 'x', type: 'listed' } }], 'listed'],
    ['not an object', undefined],
    [null, undefined],
  ])('400 with %j has the code %s', async (wire, code) => {
    expect((await asked(json(400, wire))).error).toMatchObject({ case: 'upstream-rejected', code });
  });

  test('with a body that does not end is judged by what there is', async () => {
    const half: Reply = async (writer) => {
      writer.head(400, { 'content-type': 'application/json' });
      await writer.body('{"error":');
      writer.reset();
    };
    expect((await asked(half)).error).toMatchObject({ case: 'upstream-rejected', code: undefined });
  });

  test('with a body without end is judged by its beginning', async () => {
    const endless: Reply = async (writer) => {
      writer.head(400, { 'content-type': 'application/json' });
      await writer.body(`{"error":${' '.repeat(100_000)}`);
    };
    expect((await asked(endless)).error).toMatchObject({ case: 'upstream-rejected', code: undefined });
  });

  test.each([201, 204, 206, 300, 304])('%i is no answer, even if it looks like one', async (status) => {
    const body = `data: ${JSON.stringify(hello)}\n\ndata: ${JSON.stringify(finish('stop'))}\n\n`;
    expect(await asked(text(status, 'text/event-stream', body))).toMatchObject({ outcome: 'refused', error: failed });
  });

  test('that redirects is a failure, and nobody goes there', async () => {
    const elsewhere = await provider(answer('caught'));
    const moved = json(302, {}, { location: `${elsewhere.url}/chat/completions` });
    expect(await asked(moved)).toMatchObject({ outcome: 'refused', error: failed });
    expect(elsewhere.connections.accepted).toBe(0);
  });
});

describe('a 200 that is no answer', () => {
  test.each([
    ['a page', text(200, 'text/html', '<h1>Welcome</h1>')],
    ['nothing', text(200, 'application/json', '')],
    ['an empty page', text(200, 'text/plain', '')],
    ['broken JSON', text(200, 'application/json', '{"choices":[')],
    ['other JSON', json(200, { hello: 'world' })],
    ['no content type', raw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')],
    ['compressed bytes', text(200, 'text/event-stream', 'x', { 'content-encoding': 'gzip' })],
    ['another protocol', raw('220 smtp.example ESMTP\r\n\r\n')],
    [
      'a body shorter than it says',
      raw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{}'),
    ],
    [
      'two lengths',
      raw('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}'),
    ],
  ])('but %s is a failure', async (_name, reply) => {
    expect(await asked(reply)).toMatchObject({ outcome: 'refused', error: failed });
  });

  test('but JSON without end is a failure', async () => {
    const flood: Reply = async (writer) => {
      writer.head(200, { 'content-type': 'application/json' });
      for (let turn = 0; turn < 40 && !writer.isClosed; turn += 1) await writer.body(' '.repeat(1024 * 1024));
    };
    const { error } = await asked(flood, { firstEvent: 20_000 });
    expect(error).toMatchObject({ ...failed, cause: { message: expect.stringContaining('larger than') } });
  });

  test('but broken chunks is a failure', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
    expect(await asked(raw(`${head}zz\r\n`))).toMatchObject({ error: failed });
  });

  test('may come after interim responses and with trailers', async () => {
    const body = `data: ${JSON.stringify(hello)}\n\ndata: ${JSON.stringify(finish('stop'))}\n\n`;
    const head =
      'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream;charset=utf-8\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\nX-A: 2\r\n\r\n';
    const bytes = `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${head}${body.length.toString(16)};a=b\r\n${body}\r\n0\r\nx-sum: 1\r\n\r\n`;
    expect(await asked(raw(bytes))).toMatchObject({ outcome: 'complete', text: 'Hello' });
  });
});

test('a provider that ignores our leaving loses its connection', async () => {
  const deaf = await provider(async (writer) => {
    writer.head(200, { 'content-type': 'text/event-stream' });
    while (!writer.isClosed) {
      await writer.body(`data: ${JSON.stringify(hello)}\n\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const flow = await adapter(deaf.url).open(
    { model: 'm', thinking: false, request: chatRequest(), credential: 0 },
    new AbortController().signal,
  );
  flow.start({ events: () => flow.cancel(), end: () => {}, fail: () => {} });
  await deaf.drained();
  expect(deaf.connections).toMatchObject({ accepted: 1, open: 0 });
});

describe('a provider that repeats our credential', () => {
  const message = `Incorrect API key provided: ${secret}. Header was Bearer ${secret}`;
  const echo = { error: { message, code: secret, type: secret } };

  test.each([
    ['with 401', json(401, echo)],
    ['with 400', json(400, echo)],
    ['as plain text', text(400, 'text/plain', message)],
    ['in a frame', sse([echo])],
    ['in a refusing frame', sse([{ error: { message, code: 400, type: secret } }])],
    ['in a JSON body', json(200, echo)],
    ['as a content type', text(200, secret, 'x')],
  ])('%s does not make us repeat it', async (_name, reply) => {
    const { error } = await asked(reply);
    expect(error).toHaveProperty('case');
    expect(inspect(error, { depth: 9 })).not.toContain(secret);
  });
});
