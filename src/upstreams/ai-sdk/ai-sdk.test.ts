import { afterEach, describe, expect, test, vi } from 'vitest';
import { chatRequest, readAnswer } from '../../../test/call-upstream.ts';
import { callCloud, cloudOf, open, plain, refusalOf } from '../../../test/bridged/call-cloud.ts';
import { cohereRecordings } from '../../../test/bridged/cohere.ts';
import { mistralRecordings } from '../../../test/bridged/mistral.ts';
import { allRecordings } from '../../../test/bridged/recordings.ts';
import { endings, gate, json, sse } from '../../../test/fakes/fake-provider.ts';
import { jumpingClock } from '../../../test/clocks/jumping-clock.ts';
import { stalled } from '../../../test/stalled.ts';
import { upstreamSchema, upstreamSpec } from '../../config/schema/upstream.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { GatewayError } from '../../core/gateway-error.ts';
import { openUpstream } from '../open-upstream.ts';

afterEach(() => void vi.unstubAllEnvs());

describe.each(allRecordings.map((recordings) => [recordings.kind, recordings] as const))('%s', (_kind, recordings) => {
  test('delivers the events of one read as one batch, and reuses the connection', async () => {
    const cloud = await cloudOf(recordings);
    cloud.respond(plain(recordings));
    expect((await callCloud(cloud, recordings)).batches.length).toBeLessThanOrEqual(2);
    await callCloud(cloud, recordings);
    expect(cloud.provider.connections.accepted).toBe(1);
  });

  test('reads nothing from the environment', async () => {
    for (const name of ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_SESSION_TOKEN', 'GOOGLE_VERTEX_API_KEY', 'AZURE_API_KEY']) {
      vi.stubEnv(name, 'canary-of-the-environment');
    }
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    const cloud = await cloudOf(recordings);
    cloud.respond(plain(recordings));
    expect(await callCloud(cloud, recordings)).toMatchObject({ outcome: 'complete' });
    const { headers } = await cloud.provider.call(cloud.key).received;
    expect(JSON.stringify(headers)).not.toContain('canary');
    expect(headers).toMatchObject({ 'user-agent': 'chat-gateway', 'content-type': 'application/json' });
  });

  test('repeats no secret of the gateway in an error', async () => {
    const cloud = await cloudOf(recordings, () => ({ headers: { 'X-Team': 'canary-header' } }));
    cloud.respond((writer, call) => json(400, { message: JSON.stringify(call.headers) })(writer, call));
    const error = (await refusalOf(open(cloud, recordings))) as GatewayError;
    const errorText = `${error.message} ${String(error.cause)}`;
    expect(errorText).toContain('[redacted]');
    const secrets = [...Object.values(recordings.settings), 'canary-header'].filter((value) => value !== 'us-east-1');
    for (const secret of secrets) expect(errorText).not.toContain(secret);
  });
});

const cohereEnd = {
  type: 'message-end',
  delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 1, output_tokens: 1 } } },
};

test('a paused reader applies backpressure to the provider', async () => {
  const cloud = await cloudOf(cohereRecordings);
  const words = 'x'.repeat(10_000);
  const total = 2000;
  const piece = { type: 'content-delta', index: 0, delta: { message: { content: { type: 'text', text: words } } } };
  cloud.respond(sse([...Array.from({ length: total }, () => piece), cohereEnd]));
  const flow = await open(cloud, cohereRecordings);
  const call = await cloud.provider.call(cloud.key).received;
  let characters = 0;
  const result = readAnswer(flow, (batch) => {
    for (const event of batch) if (event.type === 'text-delta') characters += event.text.length;
  });
  flow.pause();
  expect(await stalled(call)).toBeLessThan((total * words.length) / 2);
  flow.resume();
  expect(await result).toMatchObject({ outcome: 'complete' });
  expect(characters).toBe(total * words.length);
});

test('an endless event does not fill the memory', async () => {
  const cloud = await cloudOf(mistralRecordings);
  cloud.respond(async (writer) => {
    writer.head(200, { 'content-type': 'text/event-stream' });
    for (let count = 0; count < 40 && !writer.isClosed; count += 1) await writer.body('y'.repeat(1024 * 1024));
    await new Promise(() => {});
  });
  const error = (await callCloud(cloud, mistralRecordings)).error as GatewayError;
  expect(error).toMatchObject({ case: 'upstream-failed', cause: { message: expect.stringContaining('larger than') } });
});

test('an upstream with public addresses only cannot connect to this machine', async () => {
  const cloud = await cloudOf(cohereRecordings);
  const entry = { name: 'stored', kind: 'cohere', base_url: cloud.provider.url, api_key: 'k' };
  const spec = { ...upstreamSpec(upstreamSchema.parse(entry)), egressAllow: [] };
  const upstream = openUpstream(spec, { clock: systemClock, newId: () => 'id' });
  const call = { model: 'command', credential: 0, thinking: false, request: chatRequest() };
  const error = await refusalOf(upstream.open(call, new AbortController().signal));
  expect(error).toMatchObject({
    case: 'upstream-failed',
    cause: { message: expect.stringContaining('is not a public address') },
  });
  expect(cloud.provider.connections.accepted).toBe(0);
});

test('an answer that hangs after its beginning leaves no connection when the upstream is closed', async () => {
  const clock = jumpingClock();
  const cloud = await cloudOf(cohereRecordings, undefined, clock);
  const held = gate();
  const begin = { type: 'content-delta', index: 0, delta: { message: { content: { type: 'text', text: 'Hi' } } } };
  cloud.respond(sse([begin, held.opened, cohereEnd, endings.hang]));
  const flow = await open(cloud, cohereRecordings);
  cloud.upstream.close();
  const started = gate();
  const result = readAnswer(flow, () => {
    started.open();
    held.open();
  });
  await started.opened;
  expect(cloud.provider.connections.open).toBe(1);
  clock.jump(600_000);
  expect(await result).toMatchObject({ outcome: 'failed', text: 'Hi', error: { case: 'upstream-timeout' } });
  flow.cancel();
  await cloud.provider.drained();
});
