import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { constraintSums } from '../../../src/money/requests/rollups/constraint-sums.ts';
import { listRequests } from '../../../src/money/requests/find-requests.ts';
import { responsesUsage } from '../../translation/in-responses.ts';
import { messagesReply, responsesFrames, responsesReply } from '../../translation/scripted-replies.ts';
import { eventually } from '../../eventually.ts';
import { answer, chunk, endings, finish, type ScriptedReply, sse, usage } from '../../fakes/fake-provider.ts';
import { joined, model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

/** The text of a provider that ignores stop sequences. */
const text = 'one two, three STOP four five';
const replies: Readonly<Record<string, ScriptedReply>> = {
  chat: answer(text),
  messages: messagesReply({ content: [{ type: 'text', text }], stop_reason: 'end_turn', stop_sequence: null }),
  responses: responsesReply(
    [
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    { status: 'completed' },
  ),
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => {
    const [upstream] = base['upstreams'] as [object];
    return {
      ...base,
      upstreams: [
        { ...upstream, name: 'chat' },
        { ...upstream, name: 'four', quirks: { stop_max: 4 } },
        { ...upstream, name: 'messages', kind: 'anthropic', base_url: provider.url },
        { ...upstream, name: 'responses', quirks: { responses: 'only' } },
      ],
      models: [
        ...Object.keys(replies).map((name) => model(name, { routes: [{ upstream: name }] })),
        model('long', { routes: [{ upstream: 'responses' }] }),
        model('four', { routes: [{ upstream: 'four' }] }),
        model('asked', { routes: [{ upstream: 'four' }], guarantees: { stop: 'gateway' } }),
        model('off', { routes: [{ upstream: 'chat' }], guarantees: { stop: 'off' } }),
        model('trusted', { routes: [{ upstream: 'chat' }], guarantees: { stop: 'provider' } }),
      ],
    };
  });
  for (const [name, reply] of Object.entries(replies)) gateway.provider.respond(name, reply);
  for (const name of ['four', 'asked', 'off', 'trusted']) gateway.provider.respond(name, answer(text));
});
afterAll(() => gateway.stop());

const sixteen = Array.from({ length: 15 }, (_, index) => `never ${index}`).concat('STOP');

describe.each(Object.keys(replies))('a provider of the %s format that ignores stop sequences', (name) => {
  test('a chat client never receives the stop sequence', async () => {
    const reply = await gateway.chat({ model: name, stop: sixteen });
    expect(joined(reply), reply.text).toBe('one two, three ');
    expect(reply.chunks.flatMap(({ choices }) => choices).map((choice) => choice.finish_reason)).toContain('stop');
    expect(reply.frames.at(-1)).toBe('[DONE]');
    // The usage that the provider reports: its stream has already ended.
    const { prompt_tokens, completion_tokens } = reply.chunks.at(-1).usage;
    expect([prompt_tokens, completion_tokens]).toEqual(name === 'chat' ? [7, 6] : [100, 20]);
  });

  test.each([true, false])(
    'a messages client with stream %s never receives it either, and gets its name as `stop_sequence`',
    async (stream) => {
      const body = {
        model: name,
        max_tokens: 100,
        messages: [{ role: 'user', content: 'hello' }],
        stop_sequences: ['STOP'],
      };
      const reply = await gateway.post('/anthropic/v1/messages', { ...body, stream }, { 'x-api-key': gateway.key });
      expect(reply.text).toContain('"stop_reason":"stop_sequence"');
      expect(reply.text).toContain('"stop_sequence":"STOP"');
      expect(reply.text).not.toContain('four');
      expect(reply.text.replaceAll(/"stop_sequence":"STOP"/g, '')).not.toContain('STOP');
    },
  );
});

test('the gateway sends at most `stop_max` sequences and does not enforce those itself', async () => {
  const over = await gateway.chat({ model: 'four', stop: sixteen });
  expect(joined(over)).toBe('one two, three ');
  expect(gateway.provider.calls.at(-1)?.body?.['stop']).toEqual(sixteen.slice(0, 4));
  const within = await gateway.chat({ model: 'four', stop: ['STOP'] });
  expect(joined(within)).toBe(text);
  expect(gateway.provider.calls.at(-1)?.body?.['stop']).toEqual(['STOP']);
});

test('the setting of the model decides whether the gateway enforces stop sequences', async () => {
  const send = async (name: string): Promise<string> => joined(await gateway.chat({ model: name, stop: 'STOP' }));
  expect(await Promise.all(['asked', 'off', 'trusted'].map(send))).toEqual(['one two, three ', text, text]);
});

/** The record of a reply's request. */
const recordOf = (reply: { readonly headers: Headers }) =>
  eventually(async () => {
    const [record] = await listRequests(gateway.gateway.store, { limit: 1 });
    const id = reply.headers.get('x-gateway-request-id');
    return record?.id === id ? record : expect.fail(`no record of ${id} yet`);
  });

test('the usage that a provider reports after the stop is used', async () => {
  const steps = [chunk({ content: 'one ' }), chunk({ content: 'STOP two' }), finish('stop'), usage(24, 3), '[DONE]'];
  gateway.provider.respond('chat', sse(steps));
  const reply = await gateway.chat({ model: 'chat', stop: 'STOP' });
  expect(joined(reply)).toBe('one ');
  expect(reply.chunks.at(-1).usage).toMatchObject({ prompt_tokens: 24, completion_tokens: 3 });
  expect(await recordOf(reply)).toMatchObject({ promptTokens: 24, completionTokens: 3, usageSource: 'upstream' });
});

const reported = { promptTokens: 100, completionTokens: 20, usageSource: 'upstream' };

test.each([
  ['200 more chunks is charged for the usage that it reports', 200, reported],
  ['1,000 more chunks is cancelled, and its answer is counted', 1000, { usageSource: 'counted' }],
] as const)('a provider that cannot get stop sequences and sends %s', async (_, chunks, usage) => {
  const content = [{ type: 'output_text', text: 'one STOP two', annotations: [] }];
  const message = { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content };
  const whole = { status: 'completed', output: [message], usage: responsesUsage };
  const frames = responsesFrames([message], whole).map((raw) => ({ raw }));
  const more = frames.find(({ raw }) => raw.includes('output_text.delta'))!;
  const end = frames.findIndex(({ raw }) => raw.includes('output_text.done'));
  const rest = Array.from({ length: chunks }, () => more);
  gateway.provider.respond('long', sse([...frames.slice(0, end), ...rest, ...frames.slice(end)]));
  const reply = await gateway.chat({ model: 'long', stop: 'STOP' });
  expect(joined(reply)).toBe('one ');
  expect(await recordOf(reply)).toMatchObject(usage);
});

test('if a provider fails before it reports usage, the gateway counts the text that the client got', async () => {
  gateway.provider.respond('chat', sse([chunk({ content: 'one ' }), chunk({ content: 'STOP two' }), endings.reset]));
  const reply = await gateway.chat({ model: 'chat', stop: 'STOP' });
  expect([joined(reply), reply.frames.at(-1)]).toEqual(['one ', '[DONE]']);
  expect(await recordOf(reply)).toMatchObject({ status: 200, errorCase: undefined, usageSource: 'counted' });
});

test('a provider that hangs after the stop is aborted, and the answer is charged and recorded as complete', async () => {
  gateway.provider.respond('chat', sse([chunk({ content: 'one ' }), chunk({ content: 'STOP two' }), endings.hang]));
  const reply = await gateway.chat({ model: 'chat', stop: 'STOP' });
  expect(joined(reply)).toBe('one ');
  const isAborted = () => gateway.provider.calls.at(-1)?.isAborted;
  await expect.poll(isAborted, { message: 'the call at the provider is ended' }).toBe(true);
  const id = reply.headers.get('x-gateway-request-id');
  await eventually(async () => {
    const [record] = await listRequests(gateway.gateway.store, { limit: 1 });
    expect(record).toMatchObject({ id, status: 200 });
    expect(record?.cost).toBeGreaterThan(0n);
    const measured = (await constraintSums(gateway.gateway.store, 0)).get('chat')?.get('stop');
    expect(measured).toMatchObject({ met: 0, reprompted: 0, violated: 0 });
    expect(measured?.repaired).toBeGreaterThan(0);
  });
});
