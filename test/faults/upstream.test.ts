import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findRequest } from '../../src/money/requests/find-requests.ts';
import { countsTokens } from '../counted-tokens.ts';
import { expectEnvelope, expectGatewayHeaders } from '../expectations.ts';
import {
  answer,
  chunk,
  endings,
  finish,
  gate,
  hang,
  json,
  raw,
  reset,
  sse,
  text,
  usage,
} from '../fakes/fake-provider.ts';
import { framesOf, joined, model, startTestGateway, type TestGateway } from '../gateways/gateway.ts';
import { expectAtRest } from '../at-rest.ts';
import { chat } from '../chat-client.ts';
import { jumpingClock } from '../clocks/jumping-clock.ts';

const time = jumpingClock();
let gateway: TestGateway;
beforeAll(async () => {
  const config = ({ upstreams, ...base }: Record<string, unknown>): Record<string, unknown> => ({
    ...base,
    waiting: { hold_headers: '5m' },
    upstreams: [
      ...(upstreams as object[]).map((each) => ({ ...each, timeouts })),
      { name: 'closed', kind: 'openai', base_url: 'http://127.0.0.1:9' },
    ],
    models: [
      ...(base['models'] as object[]),
      model('unreachable', { routes: [{ upstream: 'closed' }] }),
      model('covered', {
        routes: [
          { upstream: 'closed', priority: 0 },
          { upstream: 'fake', model: 'second', priority: 1 },
        ],
      }),
      model('twice', {
        routes: [
          { upstream: 'fake', model: 'first', priority: 0 },
          { upstream: 'fake', model: 'second', priority: 1 },
        ],
      }),
    ],
  });
  gateway = await startTestGateway(config, { clock: time });
});

/** Shorter than the time for which headers are held back. */
const timeouts = { first_event: '40s', idle: '40s' };
const tooLongMs = 41_000;

/** The next call of a model, which may not have arrived yet. */
function nextCall(name: string) {
  return gateway.provider.call(name, gateway.provider.calls.filter(({ key }) => key === name).length);
}
afterAll(() => gateway.stop());
afterEach(() => expectAtRest(gateway.gateway));

const failed = { status: 502, code: 'upstream_failed', type: 'upstream_error' };
const late = { status: 504, code: 'upstream_timeout', type: 'upstream_error' };
const begun = [chunk({ role: 'assistant', content: 'one' }), chunk({ content: ' two' })];
const properEnd = [finish('stop'), usage(3, 2), '[DONE]'];

test.each([
  ['breaks the connection', reset(), failed],
  ['sends bytes that are not HTTP', raw('garbage\r\n\r\n'), failed],
  ['answers 500', json(500, { error: { message: 'sk-upstream-canary' } }), failed],
  ['answers 502', text(502, 'text/html', '<h1>bad gateway</h1>'), failed],
  ['answers 504', json(504, {}), late],
  ['rejects the credential', json(401, { error: { code: 'invalid_api_key' } }), failed],
  ['denies access to the credential', json(403, { error: { code: 'access_denied' } }), failed],
  ['redirects', json(302, {}, { location: 'http://169.254.169.254/' }), failed],
  ['sends a web page with 200', text(200, 'text/html', '<h1>hi</h1>'), failed],
  ['sends nothing with 200', text(200, 'text/event-stream', ''), failed],
  ['ends before it began', sse([chunk({ role: 'assistant', content: '' }), endings.cut]), failed],
  ['begins with an error frame', sse([{ error: { message: 'sk-upstream-canary', code: 500 } }]), failed],
] as const)('the client gets an error status if an upstream %s', async (_fault, reply, expected) => {
  gateway.provider.respond('other', reply);
  const seen = await gateway.chat({ model: 'other' });
  expectEnvelope(seen, expected);
  expect(seen.text).not.toContain('canary');
  expect(seen.json.error.message).toContain('help@example.com');
});

test.each([
  ['never answers', hang()],
  ['only ever sends comments', sse([{ raw: ': hi\n\n' }, endings.hang])],
] as const)('the client gets 504 after the timeout if an upstream %s', async (_fault, reply) => {
  gateway.provider.respond('other', reply);
  const call = nextCall('other');
  const seen = gateway.chat({ model: 'other' });
  await call.received;
  time.jump(tooLongMs);
  expectEnvelope(await seen, late);
});

test('the client gets 502 if an upstream is unreachable', async () => {
  expectEnvelope(await gateway.chat({ model: 'unreachable' }), failed);
});

test('when the first upstream hangs, the second answers and the client gets no error', async () => {
  gateway.provider.respond('first', hang());
  gateway.provider.respond('second', answer('from the second'));
  const call = nextCall('first');
  const reply = gateway.chat({ model: 'twice' });
  await call.received;
  time.jump(tooLongMs);
  expect(joined(await reply)).toBe('from the second');
});

test.each([
  ['is unreachable', 'covered', undefined],
  ['fails', 'twice', json(500, {})],
  ['is out of capacity', 'twice', json(429, {})],
  ['ends before it began', 'twice', sse([endings.cut])],
  ['begins with an error', 'twice', sse([{ error: { message: 'no' } }])],
] as const)(
  'when the first upstream %s, the second answers and the client gets no error',
  async (_fault, name, first) => {
    if (first) gateway.provider.respond('first', first);
    gateway.provider.respond('second', answer('from the second'));
    const reply = await gateway.chat({ model: name });
    expect(joined(reply)).toBe('from the second');
    expect(reply.frames.at(-1)).toBe('[DONE]');
  },
);

test.each([
  ['is cut', [endings.cut]],
  ['is reset', [endings.reset]],
  ['hangs', [endings.hang]],
  ['reports an error', [{ error: { message: 'sk-upstream-canary overloaded', type: 'server_error' } }]],
  ['ends without a finish', []],
  ['becomes malformed', Array.from({ length: 20 }, () => '{not json')],
] as const)('an answer that %s ends in an error frame and without [DONE]', async (fault, ending) => {
  const breakOff = gate();
  gateway.provider.respond('other', sse([...begun, breakOff.opened, ...ending]));
  const running = chat(gateway);
  await running.waitForText('two');
  breakOff.open();
  if (fault === 'hangs') time.jump(tooLongMs);
  const { status, headers, id, text: body } = await running.over;
  expect(status).toBe(200);
  const reply = framesOf({
    status: 200,
    headers: new Headers(headers as Record<string, string>),
    text: body,
    json: undefined,
  });
  expectGatewayHeaders(reply);
  expect(joined({ ...reply, chunks: reply.chunks.filter((frame) => frame.choices) })).toBe('one two');
  const last = JSON.parse(reply.frames.at(-1)!);
  expect(last.error).toMatchObject({ code: expect.any(String), type: 'upstream_error' });
  expect(last.error.message).toContain(`(request id: ${id})`);
  expect(body).not.toContain('[DONE]');
  expect(body).not.toContain('canary');
  expect(reply.chunks.some((frame) => frame.usage || frame.choices?.[0]?.finish_reason)).toBe(false);
});

test.each([
  ['omits [DONE]', [...begun, finish('stop'), usage(3, 2)]],
  [
    'repeats the role',
    [chunk({ role: 'assistant', content: 'one' }), chunk({ role: 'assistant', content: ' two' }), ...properEnd],
  ],
  [
    'finishes in the last content chunk',
    [begun[0]!, chunk({ content: ' two' }, { finish_reason: 'stop' }), usage(3, 2), '[DONE]'],
  ],
  [
    'sends usage with the finish',
    [...begun, { ...finish('stop'), usage: { prompt_tokens: 3, completion_tokens: 2 } }, '[DONE]'],
  ],
  [
    'sends usage in every chunk',
    [...begun.map((each, i) => ({ ...each, usage: { prompt_tokens: 3, completion_tokens: i } })), ...properEnd],
  ],
  ['sends keep-alive comments', [{ raw: ': ping\n\n' }, begun[0]!, { raw: ': ping\n\n' }, begun[1]!, ...properEnd]],
  ['sends one line that is not JSON', [begun[0]!, '{oops', begun[1]!, ...properEnd]],
] as const)('the client gets a correct stream although an upstream %s', async (_anomaly, steps) => {
  gateway.provider.respond('other', sse(steps));
  const reply = await gateway.chat({ model: 'other' });
  expect(joined(reply)).toBe('one two');
  expect(reply.frames.at(-1)).toBe('[DONE]');
  expect(reply.chunks.at(-1).usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 });
  expect(reply.chunks.filter(({ usage }) => usage !== null)).toHaveLength(1);
});

test.each(['\r\n', '\r', '\n'] as const)('the gateway parses line ends %j', async (lineEnd) => {
  gateway.provider.respond('other', sse([...begun, ...properEnd], { lineEnd }));
  expect(joined(await gateway.chat({ model: 'other' }))).toBe('one two');
});

test('the gateway converts a JSON body instead of a stream into a stream', async () => {
  gateway.provider.respond(
    'other',
    json(200, {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
    }),
  );
  const reply = await gateway.chat({ model: 'other' });
  expect(joined(reply)).toBe('whole');
  expect(reply.chunks.at(-1).usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 1 });
});

test('the gateway counts usage that the upstream does not report, and records that it did', async () => {
  gateway.provider.respond(
    'other',
    sse([chunk({ role: 'assistant', content: 'Hello there, my friend.' }), finish('stop'), '[DONE]']),
  );
  await countsTokens(gateway);
  const reply = await gateway.chat({ model: 'other' });
  const { usage: counted } = reply.chunks.at(-1);
  expect(counted.completion_tokens).toBe(6);
  expect(counted.prompt_tokens).toBeGreaterThan(0);
  const id = reply.headers.get('x-gateway-request-id')!;
  await expect
    .poll(() => findRequest(gateway.gateway.store, id), { message: 'the record' })
    .toMatchObject({ usageSource: 'counted', completionTokens: 6, upstream: 'fake', status: 200 });
});

test.each([
  ['negative', { prompt_tokens: -5, completion_tokens: -1 }],
  ['strings', { prompt_tokens: 'many', completion_tokens: '7' }],
  ['far too large', { prompt_tokens: 1e300, completion_tokens: 1e12 }],
  [
    'more cached tokens than prompt tokens',
    { prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 99 } },
  ],
] as const)('the gateway corrects usage that is %s', async (_fault, reported) => {
  gateway.provider.respond('other', sse([...begun, finish('stop'), { choices: [], usage: reported }, '[DONE]']));
  const reply = await gateway.chat({ model: 'other' });
  const { usage: seen } = reply.chunks.at(-1);
  for (const count of [seen.prompt_tokens, seen.completion_tokens, seen.prompt_tokens_details.text_tokens]) {
    expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
  }
  expect(seen.total_tokens).toBe(seen.prompt_tokens + seen.completion_tokens);
  expect(seen.prompt_tokens_details.cached_tokens).toBeLessThanOrEqual(seen.prompt_tokens);
  const id = reply.headers.get('x-gateway-request-id')!;
  await expect
    .poll(async () => (await findRequest(gateway.gateway.store, id))?.notes ?? [], {
      message: 'the notes of the record',
    })
    .toContainEqual(expect.stringContaining('usage'));
});

test('a slow answer gets keep-alive comments after the headers were held back long enough', async () => {
  const slowGateway = await startTestGateway((base) => ({
    ...base,
    waiting: { hold_headers: '100ms', keep_alive_every: '100ms' },
  }));
  try {
    const { opened, open } = gate();
    slowGateway.provider.respond('other', sse([opened, ...begun, ...properEnd]));
    const response = await fetch(`${slowGateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${slowGateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'other', messages: [{ role: 'user', content: 'x' }] }),
    });
    expect(response.status).toBe(200);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    // More than one may have arrived before the client reads.
    expect((await reader.read()).value).toMatch(/^(: keep-alive\n\n)+$/);
    open();
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    expect(rest).toContain('data: [DONE]');
  } finally {
    await slowGateway.stop();
  }
});
