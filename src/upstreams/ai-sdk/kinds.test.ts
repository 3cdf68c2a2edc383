import { expect, test } from 'vitest';
import { chatRequest, textMessage } from '../../../test/call-upstream.ts';
import { azureRecordings } from '../../../test/bridged/azure.ts';
import { callCloud, cloudOf, open, plain, refusalOf } from '../../../test/bridged/call-cloud.ts';
import { bedrockRecordings } from '../../../test/bridged/bedrock.ts';
import { cohereRecordings } from '../../../test/bridged/cohere.ts';
import { googleRecordings } from '../../../test/bridged/google.ts';

test('each credential is sent as a separate key', async () => {
  const cloud = await cloudOf(cohereRecordings, () => ({ api_key: undefined, api_keys: ['first', 'second'] }));
  cloud.respond(plain(cohereRecordings));
  for (const credential of [0, 1, 0]) await callCloud(cloud, cohereRecordings, { credential });
  const keys = cloud.provider.calls.map(({ headers }) => headers['authorization']);
  expect(keys).toEqual(['Bearer first', 'Bearer second', 'Bearer first']);
});

test('a header of the file is sent and replaces the default one', async () => {
  const cloud = await cloudOf(googleRecordings, () => ({ headers: { 'User-Agent': 'acme/1', 'X-Team': 'blue' } }));
  cloud.respond(plain(googleRecordings));
  await callCloud(cloud, googleRecordings);
  const { headers } = await cloud.provider.call(cloud.key).received;
  expect(headers).toMatchObject({ 'x-team': 'blue', 'x-goog-api-key': 'AIzaFixture' });
  expect(headers['user-agent']).toContain('acme/1');
});

test('requests to Bedrock are signed or have the key', async () => {
  const signed = await cloudOf(bedrockRecordings, () => ({ session_token: 'temporary' }));
  signed.respond(plain(bedrockRecordings));
  await callCloud(signed, bedrockRecordings);
  const { headers } = await signed.provider.call(signed.key).received;
  expect(headers['authorization']).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/bedrock\/aws4_request, SignedHeaders=\S*host\S*, Signature=[0-9a-f]{64}$/,
  );
  expect(headers['x-amz-security-token']).toBe('temporary');
  const keyed = await cloudOf(bedrockRecordings, () => ({
    access_key_id: undefined,
    secret_access_key: undefined,
    api_key: 'bedrock-key',
  }));
  keyed.respond(plain(bedrockRecordings));
  await callCloud(keyed, bedrockRecordings);
  const call = await keyed.provider.call(keyed.key).received;
  expect(call.headers['authorization']).toBe('Bearer bedrock-key');
});

test('an older version of the Azure API has the deployment in the address', async () => {
  const cloud = await cloudOf(azureRecordings, () => ({ api_version: '2024-10-21' }));
  cloud.respond(plain(azureRecordings));
  await callCloud(cloud, azureRecordings);
  const { path, headers } = await cloud.provider.call(cloud.key).received;
  expect(path).toBe('/v1/deployments/my-deployment/chat/completions?api-version=2024-10-21');
  expect(headers['api-key']).toBe('azure-fixture-key');
});

test('warnings of a package are added to the request record at the end', async () => {
  const cloud = await cloudOf(azureRecordings);
  cloud.respond(plain(azureRecordings));
  const { events } = await callCloud(cloud, azureRecordings, {
    thinking: true,
    request: chatRequest({ temperature: 0.5 }),
  });
  expect(events.at(-3)).toEqual({
    type: 'anomaly',
    what: 'temperature: temperature is not supported for reasoning models',
  });
});

test('a conversation that a package refuses is an error for the client and is never sent', async () => {
  const cloud = await cloudOf(bedrockRecordings);
  const request = chatRequest({
    messages: [{ role: 'user', content: [{ type: 'image', source: { mediaType: 'image/tiff', data: 'AAAA' } }] }],
  });
  const error = await refusalOf(open(cloud, bedrockRecordings, { request }));
  expect(error).toMatchObject({ case: 'invalid-request', detail: expect.stringContaining('image/tiff') });
  expect(cloud.provider.calls).toEqual([]);
});

test('a Claude with adaptive reasoning gets an effort, and one with a forced tool call gets no reasoning', async () => {
  const cloud = await cloudOf(bedrockRecordings);
  const model = 'us.anthropic.claude-opus-4-6-v1';
  const key = `POST /v1/model/${model}/converse-stream`;
  cloud.provider.respond(key, plain(bedrockRecordings));
  const tools = [{ name: 't', description: undefined, parameters: undefined }];
  for (const changes of [{ effort: 'max' }, { tools, toolChoice: 'required' }] as const) {
    await callCloud(cloud, bedrockRecordings, {
      thinking: true,
      model,
      request: chatRequest({ maxTokens: 900, ...changes }),
    });
  }
  const [free, forced] = cloud.provider.calls.map(({ body }) => body);
  expect(free).toMatchObject({
    inferenceConfig: { maxTokens: 900 },
    additionalModelRequestFields: { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } },
  });
  expect(forced).not.toHaveProperty('additionalModelRequestFields');
});

test('a Claude that cannot verify its last reasoning continues without reasoning', async () => {
  const cloud = await cloudOf(bedrockRecordings);
  cloud.respond(plain(bedrockRecordings));
  const messages = [
    textMessage('user', 'Go'),
    { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 't', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'c', content: [{ type: 'text', text: 'done' }], isError: false },
  ] as const;
  const tools = [{ name: 't', description: undefined, parameters: undefined }];
  await callCloud(cloud, bedrockRecordings, {
    thinking: true,
    request: chatRequest({ messages, tools, maxTokens: 8000 }),
  });
  const { body } = await cloud.provider.call(cloud.key).received;
  expect(body).not.toHaveProperty('additionalModelRequestFields');
  expect(body).toMatchObject({ inferenceConfig: { maxTokens: 8000 } });
});

test('Gemini gets the documented placeholder for a missing signature', async () => {
  const cloud = await cloudOf(googleRecordings);
  cloud.respond(plain(googleRecordings));
  const messages = [
    textMessage('user', 'Go'),
    { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 't', arguments: '' }] },
    { role: 'tool', toolCallId: 'c', content: [{ type: 'text', text: 'done' }], isError: false },
  ] as const;
  await callCloud(cloud, googleRecordings, { request: chatRequest({ messages }) });
  const { body } = await cloud.provider.call(cloud.key).received;
  expect(body).toMatchObject({
    contents: [
      {},
      { parts: [{ functionCall: { name: 't', args: {} }, thoughtSignature: 'skip_thought_signature_validator' }] },
      {},
    ],
  });
});
