import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { answer, chunk, endings, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import {
  type ConfigChange,
  framesOf,
  joined,
  model,
  patientTimeouts,
  startTestGateway,
  type TestGateway,
} from '../gateways/gateway.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { jumpingClock } from '../clocks/jumping-clock.ts';

const time = jumpingClock();
let gateway: TestGateway;
beforeEach(async () => {
  const config: ConfigChange = (base, provider) => {
    const upstream = { kind: 'openai', base_url: provider.url, timeouts: patientTimeouts };
    const routes = [
      { upstream: 'one', model: 'first', priority: 0 },
      { upstream: 'other', model: 'second', priority: 1 },
    ];
    return {
      ...base,
      upstreams: [
        { name: 'one', ...upstream },
        { name: 'other', ...upstream, quirks: { prefix_style: 'prefix' } },
      ],
      models: [
        model('goes-on', { continue: 'prefill', routes }),
        model('stops', { routes }),
        model('alone', { continue: 'prefill', routes: [{ upstream: 'other' }] }),
      ],
    };
  };
  gateway = await startTestGateway(config, { clock: time });
});
afterEach(async () => {
  await expectAtRest(gateway.gateway);
  await gateway.stop();
});

const begun = [chunk({ role: 'assistant', content: 'one' }), chunk({ content: ' two' })];

test.each([
  ['is cut', endings.cut],
  ['is reset', endings.reset],
  ['falls silent', endings.hang],
  ['reports an error', { error: { message: 'overloaded', type: 'server_error' } }],
] as const)('an answer that %s continues at another provider, and its text is charged once', async (_fault, end) => {
  const breakOff = gate();
  gateway.provider.respond('first', sse([...begun, breakOff.opened, end]));
  gateway.provider.respond('second', answer(' three four', { promptTokens: 12 }));
  const calls = gateway.provider.calls.length;
  const messages = [{ role: 'user', content: 'hello' }];
  const running = chat({ ...gateway, model: 'goes-on', body: { messages } });
  await running.waitForText('two');
  breakOff.open();
  if (end === endings.hang) time.jump(301_000);
  const { id, ...outcome } = await running.over;
  const reply = framesOf({ ...outcome, status: 200, headers: new Headers(), json: undefined });
  expect(joined(reply)).toBe('one two three four');
  expect(reply.frames.at(-1)).toBe('[DONE]');
  expect(reply.chunks.filter(({ choices }) => choices[0]?.finish_reason)).toHaveLength(1);
  const { usage: reported } = reply.chunks.at(-1);
  expect(reported).toMatchObject({ completion_tokens: 4, prompt_tokens: 10 });
  expect(gateway.provider.calls[calls + 1]?.body?.['messages']).toEqual([
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'one two', prefix: true },
  ]);
  await expect
    .poll(() => findRequest(gateway.gateway.store, id), { message: 'the record of the continued answer' })
    .toMatchObject({
      status: 200,
      attemptCount: 2,
      // The comparison with an invoice recognises a continued answer by this.
      attempts: [
        { upstream: 'one', status: 200 },
        { upstream: 'other', status: 200 },
      ],
      upstream: 'other',
      promptTokens: 10,
      completionTokens: 4,
      cost: 18_000n,
    });
});

test('an answer whose only provider runs out of capacity midway continues there after a cooldown', async () => {
  const busy = { error: { message: 'no room', code: 503 } };
  gateway.provider.respond('alone', sse([...begun, busy]), answer(' three four'));
  const reply = await gateway.chat({ model: 'alone' });
  expect(joined(reply)).toBe('one two three four');
  expect(reply.frames.at(-1)).toBe('[DONE]');
});

test('an answer that no provider can continue ends in an error frame', async () => {
  gateway.provider.respond('first', sse([...begun, endings.cut]));
  gateway.provider.respond('second', sse([endings.cut]));
  const reply = await gateway.chat({ model: 'goes-on' });
  expect(reply.chunks.at(-1).error).toMatchObject({ code: 'upstream_failed' });
  expect(reply.text).not.toContain('[DONE]');
});

test('an answer that broke off inside a tool call is not continued', async () => {
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a' } };
  gateway.provider.respond('first', sse([...begun, chunk({ tool_calls: [call] }), endings.cut]));
  const before = gateway.provider.calls.length;
  const reply = await gateway.chat({ model: 'goes-on' });
  expect(reply.chunks.at(-1).error).toMatchObject({ type: 'upstream_error' });
  expect(gateway.provider.calls).toHaveLength(before + 1);
});

test('a broken answer of a model without `continue` ends in an error frame', async () => {
  gateway.provider.respond('first', sse([...begun, endings.cut]));
  gateway.provider.respond('second', sse([chunk({ content: 'no' }), finish('stop'), usage(1, 1), '[DONE]']));
  const reply = await gateway.chat({ model: 'stops' });
  expect(reply.chunks.at(-1).error).toMatchObject({ code: 'upstream_failed' });
});
