import { generateKeyPairSync } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { callUpstream, chatRequest } from '../../../../test/call-upstream.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { answer, type FakeProvider, fakeProvider, json } from '../../../../test/fakes/fake-provider.ts';
import { upstreamSchema, upstreamSpec } from '../../../platform/config/schema/upstream.ts';
import type { Wire } from 'chat-formats/chat/chat-request.ts';
import { openUpstream } from '../open-upstream.ts';
import type { Upstream } from '../upstream.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function cloud(entry: Record<string, unknown>): Promise<{ provider: FakeProvider; upstream: Upstream }> {
  const provider = await fakeProvider();
  const given = { name: 'cloud', base_url: provider.url, ...entry };
  const spec = upstreamSpec(upstreamSchema.parse(given));
  const upstream = openUpstream(spec, { clock: manualClock(), newId: () => 'id' });
  closing.push(async () => {
    upstream.close();
    await provider.close();
  });
  return { provider, upstream };
}

const bedrock = { kind: 'bedrock', region: 'us-east-1', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret-key' };

/** A request of a client of the messages format, which gets the answer of the provider unchanged. */
function messagesRequest(stream: boolean, headers: Wire['headers'] = {}) {
  const body = { model: 'alias', max_tokens: 10, stream, messages: [{ role: 'user', content: 'Hello' }] };
  const text = JSON.stringify({ ...body, anthropic_version: 'other' });
  return chatRequest({ wantsStream: stream, wire: { format: 'messages', body, text, bytes: text.length, headers } });
}

const whole = json(200, {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hello' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 3, output_tokens: 1 },
});

test('a client of the messages format that wants no stream gets one body of Bedrock, with its betas in the body', async () => {
  const { provider, upstream } = await cloud(bedrock);
  const model = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2';
  const path = `/v1/model/${encodeURIComponent(model)}/invoke`;
  provider.respond(`POST ${path}`, whole);
  const request = messagesRequest(false, { 'anthropic-beta': 'one-2025, two-2025' });
  expect(await callUpstream(upstream, model, request)).toMatchObject({ outcome: 'complete' });
  const { body, headers } = await provider.call(`POST ${path}`).received;
  expect(body).toEqual({
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hello' }],
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['one-2025', 'two-2025'],
  });
  expect(headers['accept']).toBe('application/json');
});

test('Vertex AI counts the tokens of a prompt for Claude, and Bedrock does not', async () => {
  const { provider, upstream } = await cloud({ kind: 'vertex', api_key: 'vertex-key' });
  provider.respond('claude-opus-4-6', json(200, { input_tokens: 17 }));
  const call = { model: 'claude-opus-4-6', credential: 0, thinking: false, request: messagesRequest(true) };
  const { signal } = new AbortController();
  expect(await upstream.countTokens?.(call, signal)).toBe(17);
  const { path, body, headers } = await provider.call('claude-opus-4-6').received;
  expect(path).toBe('/v1/publishers/anthropic/models/count-tokens:rawPredict');
  expect(body).toMatchObject({ model: 'claude-opus-4-6', anthropic_version: 'vertex-2023-10-16' });
  expect(headers['x-goog-api-key']).toBe('vertex-key');
  expect(await upstream.countTokens?.({ ...call, model: 'gemini-3-pro' }, signal)).toBeUndefined();
  const other = await cloud(bedrock);
  expect(await other.upstream.countTokens?.(call, signal)).toBeUndefined();
});

test('a signed request takes the fast path, and one with a token does once the token is there', async () => {
  const chatCall = { credential: 0, thinking: false, request: chatRequest() };
  const signed = await cloud(bedrock);
  expect(signed.upstream.ready?.({ ...chatCall, model: 'openai.gpt-oss-20b-1:0' })).toBeDefined();
  expect(signed.upstream.ready?.({ ...chatCall, model: 'us.anthropic.claude-opus-4-6-v1' })).toBeUndefined();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = (address: string) =>
    JSON.stringify({
      client_email: 'robot@project.example',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      token_uri: `${address}/token`,
    });
  const tokens = await fakeProvider();
  closing.push(() => tokens.close());
  tokens.respond('POST /v1/token', json(200, { access_token: 'ya29.token', expires_in: 3600 }));
  const { provider, upstream } = await cloud({ kind: 'vertex', service_account: account(tokens.url) });
  provider.respond('google/gemini-3-pro', answer('Hello'));
  const call = { ...chatCall, model: 'gemini-3-pro' };
  expect(upstream.ready?.(call)).toBeUndefined();
  expect(await callUpstream(upstream, 'gemini-3-pro')).toMatchObject({ outcome: 'complete' });
  expect(upstream.ready?.(call)).toBeDefined();
});
