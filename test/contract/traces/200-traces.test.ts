import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Traces } from '../../../src/operate/telemetry/traces/traces.ts';
import { chat } from '../../chat-client.ts';
import { eventually } from '../../eventually.ts';
import { answer, chunk, finish, gate, reset, sse, usage } from '../../fakes/fake-provider.ts';
import {
  type ConfigChange,
  model,
  patientTimeouts,
  startTestGateway,
  type TestGateway,
} from '../../gateways/gateway.ts';
import { jumpingClock } from '../../clocks/jumping-clock.ts';
import { isInFastPath, warmFastPath, watchedFastPath } from '../../fast-path/warm-fast-path.ts';
import { type OtlpReceiver, otlpReceiver } from '../../otlp.ts';
import type { ReceivedSpan } from '../../services/otlp-spans.ts';

const take = watchedFastPath();
const begin = vi.spyOn(Traces.prototype, 'begin');

let receiver: OtlpReceiver;
let gateway: TestGateway;
beforeAll(async () => {
  receiver = await otlpReceiver();
});
afterEach(() => gateway.stop());
afterAll(() => receiver.stop());

const clock = jumpingClock();

function tracedGateway(traces: Record<string, unknown>, upstream: Record<string, unknown> = {}): Promise<TestGateway> {
  const change: ConfigChange = (base, { url }) => ({
    ...base,
    telemetry: { traces },
    upstreams: [
      { name: 'first', kind: 'deepseek', base_url: url, timeouts: patientTimeouts, max_concurrency: 1, ...upstream },
      { name: 'next', kind: 'openai', base_url: url, timeouts: patientTimeouts },
    ],
    models: [
      model('asked', { routes: [{ upstream: 'first' }] }),
      model('twice', {
        routes: [
          { upstream: 'first', model: 'flaky', priority: 1 },
          { upstream: 'next', model: 'steady', priority: 2 },
        ],
      }),
    ],
  });
  return startTestGateway(change, { clock });
}

/** Waits for the span of a request and its child spans. Returns them by name. */
async function spansOf(id: string, ready: (names: readonly string[]) => void): Promise<Map<string, ReceivedSpan>> {
  return eventually(async () => {
    const all = await receiver.spans();
    const request = all.find((span) => span.attributes['gateway.request.id'] === id);
    expect(request).toBeDefined();
    const parts = all.filter(({ parentSpanId }) => parentSpanId === request!.spanId);
    ready(parts.map(({ name }) => name));
    for (const part of parts) {
      expect(part.traceId).toBe(request!.traceId);
      expect(BigInt(part.startNs)).toBeGreaterThanOrEqual(BigInt(request!.startNs) - 2_000_000n);
      expect(BigInt(part.endNs)).toBeGreaterThanOrEqual(BigInt(part.startNs));
    }
    return new Map([['request', request!], ...parts.map((part) => [part.name, part] as const)]);
  });
}

const clientTrace = '4bf92f3577b34da6a3ce929d0e0e4736';

test('a request continues its client’s trace on both paths, and passes it to a provider with `pass_trace`', async () => {
  gateway = await tracedGateway({ endpoint: receiver.url, sample: 0 }, { pass_trace: true });
  const headers = { traceparent: `00-${clientTrace}-00f067aa0ba902b7-01`, tracestate: 'vendor=x' };
  await warmFastPath(gateway, 'asked');
  for (const path of ['/v1/chat/completions', '/v1/chat/completions?']) {
    const calls = gateway.provider.calls.length;
    const reply = await gateway.post(path, { model: 'asked', messages: [{ role: 'user', content: 'hi' }] }, headers);
    expect(isInFastPath()).toBe(!path.endsWith('?'));
    const id = reply.headers.get('x-gateway-request-id')!;
    const spans = await spansOf(id, (names) => expect(names).toContain('settlement'));
    const request = spans.get('request')!;
    expect(request).toMatchObject({ traceId: clientTrace, parentSpanId: '00f067aa0ba902b7', kind: 2, isError: false });
    expect(request).toMatchObject({ name: 'chat_completions asked', service: 'chat-gateway', traceState: 'vendor=x' });
    expect(request.attributes).toMatchObject({
      'http.response.status_code': 200,
      'gateway.surface': 'chat_completions',
      'gateway.model': 'asked',
      'gateway.package': 'standard',
    });
    // Token counts are on the call spans only, so that a sum over all spans counts each token once.
    expect(Object.keys(request.attributes).filter((name) => name.startsWith('gen_ai.'))).toEqual([]);
    expect([...spans.keys()]).toEqual(expect.arrayContaining(['chat asked', 'first content', 'settlement']));
    const call = spans.get('chat asked')!;
    expect(call).toMatchObject({ kind: 3, isError: false });
    expect(call.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'deepseek',
      'gen_ai.request.model': 'asked',
      'gen_ai.response.id': expect.stringMatching(/^chatcmpl-/),
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(gateway.provider.url).port),
      'http.response.status_code': 200,
    });
    const sent = gateway.provider.calls[calls]!.headers;
    expect(sent).toMatchObject({ traceparent: `00-${clientTrace}-${call.spanId}-01`, tracestate: 'vendor=x' });
  }
  // These requests are not sampled, so they have no trace.
  const untraced = await gateway.chat({ model: 'asked' });
  expect(gateway.provider.calls.at(-1)!.headers).not.toHaveProperty('traceparent');
  const off = { traceparent: `00-${clientTrace}-00f067aa0ba902b8-00` };
  await gateway.chat({ model: 'asked' }, off);
  await gateway.gateway.stop({ graceMs: 1000 });
  const all = await receiver.spans();
  const id = untraced.headers.get('x-gateway-request-id');
  expect(all.filter(({ attributes }) => attributes['gateway.request.id'] === id)).toEqual([]);
  expect(all.filter(({ parentSpanId }) => parentSpanId === '00f067aa0ba902b8')).toEqual([]);
});

test('waits and attempts are spans of the trace, and a provider without `pass_trace` does not get it', async () => {
  gateway = await tracedGateway({ endpoint: receiver.url });
  const { opened, open } = gate();
  gateway.provider.respond('asked', sse([chunk({ content: 'one' }), opened, finish('stop'), usage(1, 1), '[DONE]']));
  const running = chat({ ...gateway, model: 'asked' });
  await running.started;
  const waiting = chat({ ...gateway, model: 'asked' });
  await expect.poll(() => gateway.gateway.alive().waiting).toBe(1);
  // Long enough for a span of its own.
  clock.jump(100);
  open();
  await running.over;
  const { id } = await waiting.over;
  await spansOf(id, (names) => expect(names).toContain('wait for a slot'));
  gateway.provider.respond('flaky', reset());
  gateway.provider.respond('steady', answer('at last'));
  const reply = await gateway.chat({ model: 'twice' });
  const attempts = await spansOf(reply.headers.get('x-gateway-request-id')!, (names) =>
    expect(names).toEqual(expect.arrayContaining(['chat flaky', 'chat steady', 'settlement'])),
  );
  const failed = { 'error.type': 'upstream-failed', 'gateway.upstream': 'first' };
  expect(attempts.get('chat flaky')).toMatchObject({ isError: true, attributes: failed });
  expect(attempts.get('chat flaky')!.attributes).not.toHaveProperty(['gen_ai.usage.input_tokens']);
  expect(attempts.get('chat steady')).toMatchObject({ isError: false, attributes: { 'gateway.upstream': 'next' } });
  expect(attempts.get('request')!.attributes).toMatchObject({ 'gateway.upstream': 'next' });
  for (const { headers } of gateway.provider.calls) expect(headers).not.toHaveProperty('traceparent');
});

test('every attempt sends its own span id to the provider', async () => {
  gateway = await tracedGateway({ endpoint: receiver.url }, { pass_trace: true });
  // The second attempt goes to the same upstream.
  gateway.provider.respond('asked', reset(), answer('at last'));
  const before = gateway.provider.calls.length;
  const reply = await gateway.chat({ model: 'asked' });
  expect(reply.status).toBe(200);
  const sentSpanIds = gateway.provider.calls
    .slice(before)
    .map(({ headers }) => String(headers['traceparent']).split('-')[2]);
  const id = reply.headers.get('x-gateway-request-id');
  const spans = await eventually(async () => {
    const all = await receiver.spans();
    const request = all.find((span) => span.attributes['gateway.request.id'] === id);
    const calls = all.filter(({ parentSpanId, kind }) => parentSpanId === request?.spanId && kind === 3);
    expect(calls).toHaveLength(2);
    return calls;
  });
  expect(new Set(sentSpanIds).size).toBe(2);
  expect(new Set(spans.map(({ spanId }) => spanId))).toEqual(new Set(sentSpanIds));
});

test('a request that the fast path declines keeps the span that it started with', async () => {
  gateway = await tracedGateway({ endpoint: receiver.url });
  await warmFastPath(gateway, 'asked');
  const { opened, open } = gate();
  gateway.provider.respond('asked', sse([chunk({ content: 'one' }), opened, finish('stop'), usage(1, 1), '[DONE]']));
  const running = chat({ ...gateway, model: 'asked' });
  await running.started;
  begin.mockClear();
  take.mockClear();
  const waiting = gateway.chat({ model: 'asked' });
  await expect.poll(() => gateway.gateway.alive().waiting).toBe(1);
  expect(take.mock.results).toMatchObject([{ value: false }]);
  const spanIds = begin.mock.results.map(({ value }) => value?.span.spanContext().spanId);
  open();
  await running.over;
  const id = (await waiting).headers.get('x-gateway-request-id')!;
  const spans = await spansOf(id, (names) => expect(names).toContain('settlement'));
  expect(spanIds).toEqual([spans.get('request')!.spanId, spans.get('request')!.spanId]);
});

test.for(['hang', 'refuse'])(
  'a trace receiver with the fault %s delays neither requests nor the shutdown',
  async (fault) => {
    gateway = await tracedGateway({ endpoint: `${receiver.url}/${fault}` });
    gateway.provider.respond('asked', answer('Hello there'));
    const tries = await receiver.tries();
    for (let index = 0; index < 5; index += 1) expect((await gateway.chat({ model: 'asked' })).status).toBe(200);
    await expect.poll(() => receiver.tries(), { message: 'the gateway sends its spans' }).toBeGreaterThan(tries);
    await gateway.gateway.stop({ graceMs: 1000 });
  },
);
