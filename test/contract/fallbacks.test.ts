import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestDetail } from '../../src/manage/admin/requests/request-detail.ts';
import { percentilesOf } from '../../src/money/requests/rollups/histograms.ts';
import { performanceOf } from '../../src/money/requests/rollups/performance-spans.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { expectEnvelope } from '../expectations.ts';
import {
  answer,
  chunk,
  endings,
  finish,
  gate,
  json,
  type ScriptedReply as Provided,
  sse,
  usage,
} from '../fakes/fake-provider.ts';
import { framesOf, joined, model, type GatewayReply, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { jumpingClock } from '../clocks/jumping-clock.ts';
import { metricsIn } from '../metrics-text.ts';
import { responseLife } from '../response-life.ts';

const time = jumpingClock();
const cheap = { input: '1', output: '2' };
const expensive = { input: '10', output: '20' };
const every = ['failure', 'context_overflow', 'refusal'];

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(
    (base, provider) => {
      const [upstream] = base['upstreams'] as [object];
      return {
        ...base,
        listen: { host: '127.0.0.1', port: 0, health_port: 0 },
        telemetry: { metrics_detail: 'full' },
        // One slot each: a request that keeps its slot during a fallback would wait for itself.
        upstreams: [
          { ...upstream, max_concurrency: 1 },
          { ...upstream, name: 'native', kind: 'anthropic', base_url: provider.url.replace('/v1', '') },
          { ...upstream, name: 'narrow', max_concurrency: 1 },
        ],
        models: [
          model('second', { price: expensive, aliases: ['second-latest'], max_output_tokens: 64_000 }),
          model('third', { price: cheap }),
          model('judged', { price: cheap, fallbacks: [{ model: 'judged-too' }] }),
          model('judged-too', { price: expensive }),
          model('first', { price: cheap, max_output_tokens: 100, fallbacks: [{ model: 'second-latest' }] }),
          model('filtered', { price: cheap, fallbacks: [{ model: 'second', on: ['refusal'] }] }),
          model('native', {
            price: cheap,
            routes: [{ upstream: 'native' }],
            fallbacks: [{ model: 'second', on: every }],
          }),
          model('short', {
            price: cheap,
            context_window: 10,
            fallbacks: [{ model: 'second', on: ['context_overflow'] }],
          }),
          model('dear', { price: expensive, fallbacks: [{ model: 'third', on: every }] }),
          model('narrow', { price: cheap, routes: [{ upstream: 'narrow' }], fallbacks: [{ model: 'third' }] }),
          model('long', {
            price: cheap,
            fallbacks: [{ model: 'secret' }, { model: 'chat-only' }, { model: 'tiny' }, { model: 'first' }],
          }),
          model('secret', { price: cheap }),
          model('chat-only', { price: cheap, surfaces: ['openai'] }),
          model('tiny', { price: cheap, context_window: 10 }),
          ...['e0', 'e1', 'e2', 'e3', 'e4', 'e5'].map((id, index) =>
            model(id, { price: cheap, fallbacks: index < 5 ? [{ model: `e${index + 1}` }] : [] }),
          ),
        ],
        packages: [
          { name: 'standard', models: ['*'] },
          { name: 'limited', models: ['second', 'f*', 'long', 'third', 'chat-only', 'tiny'] },
        ],
        accounts: [
          { name: 'tester', package: 'standard', credit: '100.00' },
          { name: 'limited', package: 'limited', credit: '100.00' },
          // Enough for a short answer at the cheap price, and not at the other price.
          { name: 'poor', package: 'standard', credit: '0.002' },
        ],
        waiting: { max_wait: '50s', hold_headers: '60s' },
      };
    },
    { clock: time },
  );
});
afterAll(() => gateway.stop());

/** A failure without a retry at another credential or route, and without a cooldown. */
const failure = json(401, { error: { code: 'invalid_api_key' } });
const refusal = sse([chunk({ role: 'assistant', content: '' }), finish('content_filter'), usage(40, 0), '[DONE]']);
const answers = answer('one two three');

function provide(replies: Readonly<Record<string, Provided>>): number {
  for (const [name, reply] of Object.entries(replies)) gateway.provider.respond(name, reply);
  return gateway.provider.calls.length;
}

const calledSince = (before: number) => gateway.provider.calls.slice(before).map(({ key }) => key);

async function detailOf(reply: { readonly headers: Headers }) {
  const id = reply.headers.get('x-gateway-request-id') ?? '';
  const { store } = gateway.gateway;
  const state = async () => (await requestDetail(store, id))?.state;
  await expect.poll(state, { message: 'the state of the request' }).toBe('recorded');
  return (await requestDetail(store, id))!;
}

/** Expects the ledger, the record and the price to agree on the charge. */
async function expectCharged(reply: GatewayReply, by: string, cost: bigint) {
  const detail = await detailOf(reply);
  expect(detail.record).toMatchObject({ status: 200, model: by, cost, errorCase: undefined });
  expect(detail.ledger.map(({ amount }) => amount)).toEqual(cost === 0n ? [] : [-cost]);
  const pico = detail.costLines.reduce((sum, { tokens, perToken }) => sum + tokens * perToken, 0n);
  expect(pico / 1000n).toBe(cost);
  return detail;
}

/** The header with a new key of this account. */
async function keyOf(account: string, models?: readonly string[]) {
  return { authorization: `Bearer ${await gateway.newKey({ account, ...(models && { models }) })}` };
}

const messages = (prompt = 'hello') => [{ role: 'user', content: prompt }];
/** The cost of 7 prompt tokens and 3 completion tokens, the usage that the provider reports. */
const [atCheap, atExpensive] = [13_000n, 130_000n];

/** Above a context window of ten tokens. */
const tooLong = 'x'.repeat(500);

interface Surface {
  readonly send: (name: string, prompt?: string) => Promise<GatewayReply>;
  /** The model and the text of a reply. */
  readonly read: (reply: GatewayReply) => { model: unknown; text: unknown };
}

const messagesPath = '/anthropic/v1/messages';
const own = () => ({ 'x-api-key': gateway.key });
const surfaces: Readonly<Record<string, Surface>> = {
  'chat completions': {
    send: (name, prompt) => gateway.chat({ model: name, messages: messages(prompt) }),
    read: (reply) => ({ model: framesOf(reply).chunks.at(-1).model, text: joined(framesOf(reply)) }),
  },
  messages: {
    send: (name, prompt) =>
      gateway.post(messagesPath, { model: name, messages: messages(prompt), max_tokens: 50 }, own()),
    read: ({ json: body }) => ({ model: body.model, text: body.content[0]?.text }),
  },
  'messages, streamed': {
    send: (name, prompt) =>
      gateway.post(messagesPath, { model: name, messages: messages(prompt), max_tokens: 50, stream: true }, own()),
    read: ({ text }) => {
      const events = text.match(/(?<=^data: ).*$/gm)!.map((line) => JSON.parse(line));
      return { model: events[0].message.model, text: events.map((event) => event.delta?.text ?? '').join('') };
    },
  },
  responses: {
    send: (name, prompt = 'hello') => gateway.post('/v1/responses', { model: name, input: prompt }),
    read: ({ json: body }) => ({ model: body.model, text: body.output[0]?.content[0].text }),
  },
  'responses, streamed': {
    send: (name, prompt = 'hello') => gateway.post('/v1/responses', { model: name, input: prompt, stream: true }),
    read: ({ text }) => {
      const { response, events } = responseLife(text);
      expect(
        events.map((event) => (event.response as { model?: unknown } | undefined)?.model ?? response.model),
      ).toEqual(events.map(() => response.model));
      // biome-ignore lint: a reply is untyped JSON.
      return { model: response.model, text: (response.output[0] as any)?.content[0].text };
    },
  },
};

describe.each(Object.entries(surfaces))('%s', (_name, { send, read }) => {
  test('a fallback answers for a failed model, under its own name and at its own price', async () => {
    const before = provide({ first: failure, second: answers });
    const reply = await send('first');
    expect(read(reply)).toEqual({ model: 'second', text: 'one two three' });
    expect(calledSince(before)).toEqual(['first', 'second']);
    const { record } = await expectCharged(reply, 'second', atExpensive);
    expect(record?.requestedModel).toBe('first');
    expect(record?.notes).toContain('second was called instead of first: failure');
    expect(record?.attempts).toMatchObject([
      { model: 'first', errorCase: 'upstream-failed' },
      { model: 'second', status: 200 },
    ]);
  });

  test('a fallback answers for a model whose provider refused without output', async () => {
    const before = provide({ filtered: refusal, second: answers });
    const reply = await send('filtered');
    expect(read(reply)).toEqual({ model: 'second', text: 'one two three' });
    expect(calledSince(before)).toEqual(['filtered', 'second']);
    const { record } = await expectCharged(reply, 'second', atExpensive);
    expect(record?.notes).toContain('second was called instead of filtered: refusal');
    expect(record?.attempts[0]).toMatchObject({ reason: 'the filter of the provider ended the answer' });
  });

  test('if the fallback fails, the refusal is passed on unchanged, at the price of its own model', async () => {
    provide({ filtered: refusal, second: failure });
    const reply = await send('filtered');
    expect(reply.status).toBe(200);
    expect(read(reply).model).toBe('filtered');
    expect(reply.text).toMatch(/content_filter|refusal/);
    const { record } = await expectCharged(reply, 'filtered', 40_000n);
    expect(record).toMatchObject({ upstreamModel: 'filtered', finish: 'content_filter' });
  });

  test('a refusal of the fallback is its answer, under its own name and at its own price', async () => {
    const before = provide({ filtered: refusal, second: refusal });
    const reply = await send('filtered');
    expect(reply.status).toBe(200);
    expect(read(reply).model).toBe('second');
    expect(reply.text).toMatch(/content_filter|refusal/);
    expect(calledSince(before)).toEqual(['filtered', 'second']);
    const { record } = await detailOf(reply);
    expect(record).toMatchObject({ model: 'second', requestedModel: 'filtered', finish: 'content_filter' });
  });

  test('a fallback answers if the prompt is too long, as found by the gateway or reported by the provider', async () => {
    const overflow = { error: { message: 'maximum context length is 10', code: 'context_length_exceeded' } };
    const before = provide({ short: json(400, overflow), second: answers });
    expect(read(await send('short'))).toMatchObject({ model: 'second' });
    const reply = await send('short', tooLong);
    expect(read(reply)).toMatchObject({ model: 'second' });
    expect(calledSince(before)).toEqual(['short', 'second', 'second']);
    const { record } = await expectCharged(reply, 'second', atExpensive);
    expect(record?.notes).toContain('second was called instead of short: context_overflow');
  });

  test('if no model answers, the client gets the error of the model it requested', async () => {
    provide({ first: failure, second: json(400, { error: { code: 'unsupported' } }) });
    const reply = await send('first');
    expect(reply.status).toBe(502);
    expect(reply.json.error).toMatchObject({ code: 'upstream_failed' });
    const { record, ledger } = await detailOf(reply);
    expect(record).toMatchObject({ model: 'first', errorCase: 'upstream-failed' });
    expect(record?.notes).toContain('second did not answer: upstream-rejected');
    expect(ledger).toEqual([]);
  });
});

test('an answer with output has no fallback', async () => {
  const firstChunk = chunk({ role: 'assistant', content: 'one' });
  const before = provide({
    filtered: sse([firstChunk, finish('content_filter'), usage(7, 3), '[DONE]']),
    first: sse([firstChunk, endings.cut]),
    second: answers,
  });
  const filtered = await gateway.chat({ model: 'filtered' });
  expect(joined(filtered)).toBe('one');
  await expectCharged(filtered, 'filtered', atCheap);
  const interrupted = await gateway.chat({ model: 'first' });
  expect(interrupted.chunks.at(-1).error).toMatchObject({ code: 'upstream_failed' });
  expect(interrupted.frames).not.toContain('[DONE]');
  expect(calledSince(before)).toEqual(['filtered', 'first']);
});

test('a refusal without output in the client’s own format has a fallback, and is passed on unchanged if that fails', async () => {
  const start = {
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'x',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  };
  const named = (event: { readonly type: string }) => ({
    raw: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  });
  const ends = {
    type: 'message_delta',
    delta: { stop_reason: 'refusal', stop_sequence: null },
    usage: { output_tokens: 0 },
  };
  const native = sse([named(start), named(ends), named({ type: 'message_stop' })]);
  const { send, read } = surfaces['messages, streamed']!;
  provide({ native, second: answers });
  const reply = await send('native');
  expect(read(reply)).toEqual({ model: 'second', text: 'one two three' });
  expect(reply.text.match(/message_start/g)).toHaveLength(2);
  provide({ second: failure });
  const refused = await send('native');
  expect(refused.text).toContain('"stop_reason":"refusal"');
  expect(read(refused).model).toBe('native');
  await expectCharged(refused, 'native', 9_000n);
});

test('stop sequences are enforced for the model that answers, and their outcome is counted for it', async () => {
  provide({ first: failure, second: answers });
  const before = await scrapeCounters();
  const stopped = await gateway.chat({ model: 'first', stop: [' three'] });
  expect([joined(stopped), framesOf(stopped).chunks.at(-1).model]).toEqual(['one two', 'second']);
  const unstopped = await gateway.chat({ model: 'first', stop: ['four'] });
  expect(joined(unstopped)).toBe('one two three');
  const { json: message } = await gateway.post(
    messagesPath,
    { model: 'first', messages: messages(), max_tokens: 50, stop_sequences: [' two'] },
    own(),
  );
  expect(message).toMatchObject({ model: 'second', stop_reason: 'stop_sequence', stop_sequence: ' two' });
  expect(message.content).toMatchObject([{ type: 'text', text: 'one' }]);
  const after = await scrapeCounters();
  const added = [...after].map(([series, value]) => [series, value - (before.get(series) ?? 0)] as const);
  expect(Object.fromEntries(added.filter(([, by]) => by > 0))).toEqual({
    'gateway_fallbacks_total{model="first",fallback="second",reason="failure"}': 3,
    'gateway_constraints_total{model="second",constraint="max_tokens",outcome="met"}': 1,
    'gateway_constraints_total{model="second",constraint="stop",outcome="repaired"}': 2,
    'gateway_constraints_total{model="second",constraint="stop",outcome="met"}': 1,
  });
});

async function scrapeCounters(): Promise<ReadonlyMap<string, number>> {
  const nothing = { exchanges: 0, requests: 0, holds: 0 };
  await expect.poll(() => gateway.gateway.alive(), { message: 'requests in flight' }).toMatchObject(nothing);
  const reply = await fetch(`http://127.0.0.1:${gateway.gateway.healthPort}/metrics`);
  const metrics = metricsIn(await reply.text());
  return new Map([...metrics].filter(([series]) => /^gateway_(fallbacks|constraints)_/.test(series)));
}

test('a content-filter error before any answer counts as a refusal', async () => {
  provide({ filtered: json(400, { error: { code: 'content_filter', message: 'no' } }), second: answers });
  expect(joined(await gateway.chat({ model: 'filtered' }))).toBe('one two three');
});

test('an invalid request gets its error, without a fallback', async () => {
  const before = provide({ dear: json(400, { error: { code: 'unsupported_parameter' } }), third: answers });
  expectEnvelope(await gateway.chat({ model: 'dear' }), {
    status: 400,
    code: 'unsupported_parameter',
    type: 'upstream_error',
  });
  expect(calledSince(before)).toEqual(['dear']);
});

test('performance is counted for every model that was called, the one that answered and those that failed', async () => {
  provide({ judged: failure, 'judged-too': answers });
  await expectCharged(await gateway.chat({ model: 'judged' }), 'judged-too', atExpensive);
  provide({ 'judged-too': failure });
  await detailOf(await gateway.chat({ model: 'judged' }));
  // A request for this model takes the fast path, and its answer is slow.
  const opened = gate();
  const slow = [chunk({ content: 'one' }), opened.opened, finish('stop'), usage(7, 300), '[DONE]'];
  provide({ 'judged-too': sse(slow) });
  const running = chat({ ...gateway, model: 'judged-too' });
  await running.waitForText('one');
  time.jump(3000);
  opened.open();
  await detailOf({ headers: new Headers({ 'x-gateway-request-id': (await running.over).id }) });
  const performance = await performanceOf(gateway.gateway.store, time.now());
  for (const { day } of [performance.model('judged'), performance.route('fake', 'judged')]) {
    expect(day).toMatchObject({ answered: 0, failed: 2 });
    expect(percentilesOf(day.histograms)).toMatchObject({
      first_token_ms: { count: 0 },
      tokens_per_second: { count: 0 },
    });
  }
  for (const { day } of [performance.model('judged-too'), performance.route('fake', 'judged-too')]) {
    expect(day).toMatchObject({ answered: 2, failed: 1 });
    const { first_token_ms: firstToken, tokens_per_second: speed } = percentilesOf(day.histograms);
    expect([firstToken.count, speed.count]).toEqual([2, 1]);
    // 300 tokens in at least 3 seconds.
    expect(speed.p50).toBeLessThanOrEqual(105);
  }
});

test('the fallback gets the request as its client sent it', async () => {
  provide({ first: failure, second: answers });
  await gateway.chat({ model: 'first', max_tokens: 5000 });
  const [, second] = gateway.provider.calls.slice(-2);
  expect(second?.body).toMatchObject({ model: 'second', max_tokens: 5000 });
});

describe('money', () => {
  test('a fallback that the balance does not cover is skipped: the client gets the first error, without a charge', async () => {
    const before = provide({ first: failure, second: answers });
    const reply = framesOf(
      await gateway.post(
        '/v1/chat/completions',
        { model: 'first', messages: messages(), max_tokens: 100 },
        await keyOf('poor'),
      ),
    );
    expectEnvelope(reply, { status: 502, code: 'upstream_failed', type: 'upstream_error' });
    expect(calledSince(before)).toEqual(['first']);
    const { record, ledger } = await detailOf(reply);
    expect(record?.notes).toContain('second did not answer: insufficient-balance');
    expect([record?.cost, ledger]).toEqual([undefined, []]);
    provide({ filtered: refusal });
    const refused = await gateway.post(
      '/v1/chat/completions',
      { model: 'filtered', messages: messages(), max_tokens: 100 },
      await keyOf('poor'),
    );
    expect(refused.text).toContain('content_filter');
    await expectCharged(refused, 'filtered', 40_000n);
  });

  test('a cheaper fallback is charged at its own price', async () => {
    provide({ dear: failure, third: answers });
    await expectCharged(await gateway.chat({ model: 'dear' }), 'third', atCheap);
  });

  test('a client that leaves during a fallback is charged for the prompt at the price of the fallback', async () => {
    provide({ first: failure, second: sse([endings.hang]) });
    const call = gateway.provider.call('second', gateway.provider.calls.filter(({ key }) => key === 'second').length);
    const client = chat({ ...gateway, model: 'first' });
    await call.received;
    client.leave();
    await call.aborted;
    const { db } = gateway.gateway.store;
    const left = () => db.selectFrom('requests').select('id').where('client_gone', '=', 1).execute();
    await expect.poll(left, { message: 'records of clients that left' }).toHaveLength(1);
    const id = (await left())[0]?.id ?? '';
    const record = (await requestDetail(gateway.gateway.store, id))?.record;
    expect(record).toMatchObject({ model: 'second', clientGone: true, completionTokens: 0 });
    expect(record?.cost).toBe(BigInt(record?.promptTokens ?? 0) * 10_000n);
  });

  test('a retry gets the answer of the fallback, with one charge', async () => {
    const before = provide({ first: failure, second: answers });
    const headers = { 'idempotency-key': 'fallback-1' };
    const [one, again] = [
      await gateway.chat({ model: 'first' }, headers),
      await gateway.chat({ model: 'first' }, headers),
    ];
    expect(again.text).toBe(one.text);
    expect(calledSince(before)).toEqual(['first', 'second']);
    await expectCharged(one, 'second', atExpensive);
    expect((await detailOf(again)).record).toMatchObject({ model: 'second', cost: 0n });
  });
});

describe('allowed fallbacks', () => {
  test('a fallback outside the package of the account is skipped, and not named', async () => {
    const before = provide({ long: failure, secret: answers, 'chat-only': failure, first: failure, second: answers });
    const reply = framesOf(
      await gateway.post(
        '/v1/chat/completions',
        { model: 'long', messages: messages(tooLong) },
        await keyOf('limited'),
      ),
    );
    expect(joined(reply)).toBe('one two three');
    expect(calledSince(before)).toEqual(['long', 'chat-only', 'first', 'second']);
    const { record } = await detailOf(reply);
    expect(JSON.stringify([record?.notes, record?.attempts])).not.toContain('secret');
    expect(record?.notes).toContain('a fallback was skipped: this key cannot use it here');
  });

  test('a fallback outside the models of the key, or not on this surface, is skipped too', async () => {
    const before = provide({ first: failure, second: answers, long: failure, secret: failure, 'chat-only': answers });
    const reply = await gateway.post(
      '/v1/chat/completions',
      { model: 'first', messages: messages() },
      await keyOf('tester', ['first']),
    );
    expectEnvelope(reply, { status: 502, code: 'upstream_failed', type: 'upstream_error' });
    await surfaces['messages']!.send('long', tooLong);
    expect(calledSince(before)).toEqual(['first', 'long', 'secret', 'first', 'second']);
  });

  test('a chain of fallbacks ends after four models', async () => {
    const before = provide(Object.fromEntries(['e0', 'e1', 'e2', 'e3', 'e4', 'e5'].map((name) => [name, failure])));
    expectEnvelope(await gateway.chat({ model: 'e0' }), {
      status: 502,
      code: 'upstream_failed',
      type: 'upstream_error',
    });
    expect(calledSince(before)).toEqual(['e0', 'e1', 'e2', 'e3', 'e4']);
  });
});

test('after a queue timeout a fallback with a free slot answers', async () => {
  const opened = gate();
  provide({ narrow: sse([opened.opened, '[DONE]']), third: answers });
  const call = gateway.provider.call('narrow');
  const holder = gateway.chat({ model: 'narrow' });
  await call.received;
  const waiting = gateway.chat({ model: 'narrow' });
  await expect.poll(() => gateway.gateway.alive().waiting, { message: 'requests in a queue' }).toBe(1);
  time.jump(51_000);
  const reply = await waiting;
  expect(joined(reply)).toBe('one two three');
  const { record } = await expectCharged(reply, 'third', atCheap);
  expect(record?.waitMs).toBeGreaterThanOrEqual(50_000);
  opened.open();
  await holder;
});

test('no holds, slots or answers are left after all these requests', () => expectAtRest(gateway.gateway));
