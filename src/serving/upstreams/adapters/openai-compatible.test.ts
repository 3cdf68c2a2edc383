import { afterEach, describe, expect, test } from 'vitest';
import { callUpstream, chatRequest, readAnswer, textMessage } from '../../../../test/call-upstream.ts';
import {
  answer,
  chunk,
  endings,
  type FakeProvider,
  fakeProvider,
  finish,
  gate,
  json,
  sse,
  usage,
} from '../../../../test/fakes/fake-provider.ts';
import { stalled } from '../../../../test/stalled.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { defaultQuirks } from 'chat-formats/chat-completions/quirks.ts';
import { OpenAiCompatible } from './openai-compatible.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';
import type { Upstream } from '../upstream.ts';

const closing: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of closing.splice(0)) await thing.close();
});

async function provide(
  changes: Partial<ResolvedUpstream> = {},
): Promise<{ provider: FakeProvider; upstream: Upstream }> {
  const provider = await fakeProvider();
  const spec: ResolvedUpstream = {
    name: 'acme',
    wireFormat: 'chat-completions',
    baseUrl: provider.url,
    apiKeys: ['key-of-acme'],
    headers: {},
    timeouts: { connect: 600_000, firstEvent: 600_000, idle: 600_000, total: 600_000 },
    quirks: defaultQuirks,
    passTrace: false,
    ...changes,
  };
  let count = 0;
  const upstream = new OpenAiCompatible(spec, { clock: systemClock, newId: () => `id${(count += 1)}` });
  closing.push(upstream, provider);
  return { provider, upstream };
}

describe('a request', () => {
  test('goes to the chat endpoint with the provider’s name of the model and the gateway’s credential', async () => {
    const { provider, upstream } = await provide({ headers: { 'X-Team': 'blue', 'User-Agent': 'other' } });
    provider.respond('large-v3', answer('Hi'));
    await callUpstream(upstream, 'large-v3');
    const { method, path, headers, body } = await provider.call('large-v3').received;
    expect([method, path]).toEqual(['POST', '/v1/chat/completions']);
    expect(headers).toMatchObject({
      authorization: 'Bearer key-of-acme',
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      host: `127.0.0.1:${provider.port}`,
      'x-team': 'blue',
      'user-agent': 'other',
    });
    expect(body).toMatchObject({ model: 'large-v3', messages: [{ role: 'user', content: 'Hello' }], stream: true });
  });

  test('contains text in any script unchanged', async () => {
    const { provider, upstream } = await provide();
    provider.respond('m', answer('Hi'));
    await callUpstream(upstream, 'm', chatRequest({ messages: [textMessage('user', 'Grüße 你好 😀 \u0000')] }));
    expect((await provider.call('m').received).body?.['messages']).toEqual([
      { role: 'user', content: 'Grüße 你好 😀 \u0000' },
    ]);
  });

  test('contains the chosen credential, and one connection serves all credentials', async () => {
    const { provider, upstream } = await provide({ apiKeys: ['key-one', 'key-two'] });
    provider.respond('m', answer('Hi'));
    const { signal } = new AbortController();
    const call = { model: 'm', thinking: false, request: chatRequest() };
    for (const credential of [0, 1, 0]) await readAnswer(await upstream.open({ ...call, credential }, signal));
    expect(provider.calls.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer key-one',
      'Bearer key-two',
      'Bearer key-one',
    ]);
    expect(upstream.credentials).toBe(2);
    expect(provider.connections.accepted).toBe(1);
  });

  test('contains the prefill of a continued answer, and goes to the address for that', async () => {
    const { provider, upstream } = await provide({ quirks: { ...defaultQuirks, prefixStyle: 'prefix' } });
    provider.respond('m', answer('three'));
    const call = { model: 'm', thinking: false, request: chatRequest(), credential: 0, prefill: 'one two ' };
    await readAnswer(await upstream.open(call, new AbortController().signal));
    const { body } = await provider.call('m').received;
    expect(body?.['messages']).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'one two ', prefix: true },
    ]);
  });

  test('has no credential if none is configured', async () => {
    const { provider, upstream } = await provide({ apiKeys: [] });
    provider.respond('m', answer('Hi'));
    await callUpstream(upstream, 'm');
    expect(provider.calls[0]?.headers).not.toHaveProperty('authorization');
  });

  test('keeps the query of the base address', async () => {
    const target = await fakeProvider();
    closing.push(target);
    const { upstream } = await provide({ baseUrl: `${target.url}/?api-version=7` });
    await callUpstream(upstream, 'm');
    expect(target.calls[0]?.path).toBe('/v1/chat/completions?api-version=7');
  });
});

describe('a legacy prompt', () => {
  const legacy = (body: Record<string, unknown>) =>
    chatRequest({ wire: { format: 'completions', body: { model: 'alias', ...body }, bytes: 99 } });
  const legacyChunk = (text: string, finish_reason: string | null) => ({
    object: 'text_completion',
    choices: [{ index: 0, text, finish_reason }],
  });
  const legacyAnswer = sse([legacyChunk('def', null), legacyChunk('', 'stop'), '[DONE]']);

  test('goes to the legacy endpoint with its suffix, if there is one', async () => {
    const { provider, upstream } = await provide({ quirks: { ...defaultQuirks, completions: true, suffix: true } });
    provider.respond('m', legacyAnswer);
    expect(await callUpstream(upstream, 'm', legacy({ prompt: 'abc', suffix: 'ghi' }))).toMatchObject({
      text: 'def',
      outcome: 'complete',
    });
    expect(provider.calls[0]).toMatchObject({
      path: '/v1/completions',
      body: { model: 'm', prompt: 'abc', suffix: 'ghi' },
    });
  });

  test('goes to the address that is configured for the legacy endpoint', async () => {
    const beta = await fakeProvider();
    closing.push(beta);
    beta.respond('m', legacyAnswer);
    const completionsUrl = beta.url.replace('/v1', '/beta');
    const { upstream } = await provide({ quirks: { ...defaultQuirks, completions: true, completionsUrl } });
    expect(await callUpstream(upstream, 'm', legacy({ prompt: 'abc' }))).toMatchObject({ text: 'def' });
    expect(beta.calls[0]?.path).toBe('/beta/completions');
  });

  test('goes to the chat endpoint as a message if there is no legacy endpoint', async () => {
    const { provider, upstream } = await provide();
    provider.respond('m', answer('def'));
    expect(await callUpstream(upstream, 'm', legacy({ prompt: 'abc' }))).toMatchObject({ text: 'def' });
    expect(provider.calls[0]).toMatchObject({
      path: '/v1/chat/completions',
      body: { messages: [{ role: 'user', content: 'abc' }] },
    });
  });

  test.each([{ completions: true }, { completions: false }])(
    'with a suffix is refused if %j and the provider has no suffix',
    async (quirks) => {
      const { provider, upstream } = await provide({ quirks: { ...defaultQuirks, ...quirks } });
      const { error } = await callUpstream(upstream, 'm', legacy({ prompt: 'abc', suffix: 'ghi' }));
      expect(error).toMatchObject({ case: 'upstream-rejected', code: 'unsupported_suffix' });
      expect(provider.calls.length).toBe(0);
    },
  );
});

describe('an answer', () => {
  test('arrives as events, with finish and usage last', async () => {
    const { provider, upstream } = await provide();
    provider.respond('m', answer('Hello there', { promptTokens: 9 }));
    const { text, events, outcome } = await callUpstream(upstream, 'm');
    expect([text, outcome]).toEqual(['Hello there', 'complete']);
    expect(events.slice(-2)).toMatchObject([
      { type: 'finish', choice: 0, reason: 'stop' },
      { type: 'usage', usage: { promptTokens: 9, completionTokens: 2 } },
    ]);
  });

  test('that was written in one piece is delivered as one batch', async () => {
    const { provider, upstream } = await provide();
    provider.respond('m', answer('one two three four', { split: 'whole' }));
    const { batches, text } = await callUpstream(upstream, 'm');
    expect(text).toBe('one two three four');
    expect(batches.length).toBeLessThanOrEqual(2);
  });

  test('is delivered piece by piece before it is complete', async () => {
    const { provider, upstream } = await provide();
    const more = gate();
    provider.respond(
      'm',
      sse([chunk({ content: 'first' }), more.opened, chunk({ content: ' second' }), finish('stop'), '[DONE]']),
    );
    const flow = await upstream.open(
      { model: 'm', thinking: false, request: chatRequest(), credential: 0 },
      new AbortController().signal,
    );
    const { text } = await readAnswer(flow, () => more.open());
    expect(text).toBe('first second');
  });

  test('is not delivered before it is started, nor inside the call that starts it', async () => {
    const { provider, upstream } = await provide();
    const reply = answer('Hello');
    provider.respond('m', reply);
    const flow = await upstream.open(
      { model: 'm', thinking: false, request: chatRequest(), credential: 0 },
      new AbortController().signal,
    );
    await provider.call('m').finished;
    let isStarting = true;
    const during: boolean[] = [];
    const over = readAnswer(flow, () => during.push(isStarting));
    isStarting = false;
    expect((await over).text).toBe('Hello');
    expect(during).not.toContain(true);
  });

  test('ends for its reader at [DONE], even if the body ends later', async () => {
    const { provider, upstream } = await provide();
    provider.respond('m', sse([chunk({ content: 'Hi' }), finish('stop'), '[DONE]', endings.hang]));
    expect(await callUpstream(upstream, 'm')).toMatchObject({ text: 'Hi', outcome: 'complete' });
  });

  test('may be one JSON body instead of a stream', async () => {
    const { provider, upstream } = await provide();
    const message = { role: 'assistant', content: 'All of it.' };
    const usageWire = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
    provider.respond(
      'm',
      json(200, {
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
        usage: usageWire,
      }),
    );
    const { text, events, outcome } = await callUpstream(upstream, 'm');
    expect([text, outcome]).toEqual(['All of it.', 'complete']);
    expect(events.at(-1)).toMatchObject({ type: 'usage', usage: { promptTokens: 3, completionTokens: 4 } });
  });
});

describe('a reader', () => {
  test('that cancels before it started closes the connection to the provider', async () => {
    const { provider, upstream } = await provide();
    provider.respond('m', sse([chunk({ content: 'Hi' }), endings.hang]));
    const flow = await upstream.open(
      { model: 'm', thinking: false, request: chatRequest(), credential: 0 },
      new AbortController().signal,
    );
    flow.cancel();
    await provider.call('m').aborted;
    expect((await provider.call('m').received).isAborted).toBe(true);
  });

  test('that is slow applies backpressure to the provider and loses no event', async () => {
    const { provider, upstream } = await provide();
    const text = 'x'.repeat(16_384);
    const total = 2000;
    provider.respond('m', sse([...Array<object>(total).fill(chunk({ content: text })), finish('stop'), '[DONE]']));
    const flow = await upstream.open(
      { model: 'm', thinking: false, request: chatRequest(), credential: 0 },
      new AbortController().signal,
    );
    const call = await provider.call('m').received;
    let characters = 0;
    const over = readAnswer(flow, (batch) => {
      for (const event of batch) if (event.type === 'text-delta') characters += event.text.length;
    });
    flow.pause();
    const stalledAt = await stalled(call);
    expect(stalledAt).toBeLessThan((total * text.length) / 2);
    expect(characters).toBeLessThan(200_000);
    flow.resume();
    expect(await over).toMatchObject({ outcome: 'complete' });
    expect(characters).toBe(total * text.length);
  });
});

describe('a closed upstream', () => {
  test('lets a running answer end and keeps no idle connection', async () => {
    const { provider, upstream } = await provide();
    const more = gate();
    provider.respond('m', sse([chunk({ content: 'Hi' }), more.opened, finish('stop'), usage(1, 1), '[DONE]']));
    const flow = await upstream.open(
      { model: 'm', thinking: false, request: chatRequest(), credential: 0 },
      new AbortController().signal,
    );
    upstream.close();
    more.open();
    expect(await readAnswer(flow)).toMatchObject({ outcome: 'complete', text: 'Hi' });
    await provider.drained();
  });
});
