import { generateKeyPairSync } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { expect } from 'vitest';
import { type Call, chunk, json, raw, type ScriptedReply, sse, usage } from '../fakes/fake-provider.ts';
import { awsChunk } from './aws-event-stream.ts';

/** A provider with settings, credentials or addresses of its own, and an answer in the shape that it was recorded in. */
export interface Cloud {
  readonly name: string;
  /** Its entry of `upstreams:`, without name and address. */
  readonly entry: (address: string) => Readonly<Record<string, unknown>>;
  readonly model: string;
  /** The path of a streamed answer, below the base address. */
  readonly path: string;
  /** The fake provider's key of its requests. */
  readonly key: string;
  readonly reply: ScriptedReply;
  /** Checks the credential of a request, and the fields in which its body differs from the public formats. */
  check(call: Call): void | Promise<void>;
  /** Replies to further requests of the upstream. */
  readonly others?: Readonly<Record<string, ScriptedReply>>;
}

/** What every answer says, in the words of its provider. */
export const expected = { text: 'Looking.', tool: 'look', arguments: '{"at":"Oslo"}', prompt: 12, completion: 9 };

const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"Oslo"}' } };

function inPieces(index: number): readonly object[] {
  return [
    chunk({ tool_calls: [{ index, ...call, function: { name: 'look', arguments: '' } }] }),
    ...['{"at":', '"Oslo"}'].map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

const finished = chunk({}, { finish_reason: 'tool_calls' });
const words = [chunk({ role: 'assistant', content: '' }), chunk({ content: 'Look' }), chunk({ content: 'ing.' })];

/** The content-filter result of the prompt comes first. */
const azureReply = sse([
  { choices: [], created: 0, id: '', model: '', object: '', prompt_filter_results: [{ prompt_index: 0 }] },
  ...words,
  ...inPieces(0),
  finished,
  usage(12, 9),
  '[DONE]',
]);

/** Reasoning is a part of the content, a call is whole, and the usage comes with the finish. */
const mistralReply = sse([
  chunk({ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
  chunk({ content: 'Looking.' }),
  {
    ...chunk({ content: '', tool_calls: [{ ...call, id: 'Ab3dE6gH9', index: 0 }] }, { finish_reason: 'tool_calls' }),
    usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 },
  },
  '[DONE]',
]);

const cohereReply = sse([...words, ...inPieces(0), { ...finished, ...counted(12, 9) }, '[DONE]']);

function counted(prompt_tokens: number, completion_tokens: number): object {
  return { usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } };
}

/** Reasoning is in tags, a call has a signature and no index, and only the total includes the reasoning. */
const geminiReply = sse([
  chunk({ role: 'assistant', content: '<thought>Hm.', extra_content: { google: { thought: true } } }),
  chunk({ content: '</thought>Looking.' }),
  chunk({ tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'c2lnbmVk' } } }] }),
  { ...finished, usage: { prompt_tokens: 12, completion_tokens: 4, total_tokens: 21 } },
  '[DONE]',
]);

const messagesEvents = [
  { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 12 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Looking.' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
  },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"at":' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"Oslo"}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];

const bedrockBytes = Buffer.concat(messagesEvents.map(awsChunk));
const bedrockReply = raw(
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: application/vnd.amazon.eventstream\r\ncontent-length: ${bedrockBytes.length}\r\n\r\n`,
    ),
    bedrockBytes,
  ]),
);
const vertexClaudeReply = sse(
  messagesEvents.map((event) => ({ raw: `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n` })),
);

const aws = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const session = 'AQoDYXdzEPT//////////wEXAMPLEtc764bNrKp9';
const bedrockEntry = {
  kind: 'bedrock',
  region: 'eu-west-1',
  access_key_id: aws.accessKeyId,
  secret_access_key: aws.secretAccessKey,
  session_token: session,
};

/** Compares the signature with that of another implementation, for the bytes that arrived. */
async function expectSigned({ headers, path, text }: Call): Promise<void> {
  const signer = new AwsV4Signer({
    url: `http://${headers['host']}${path}`,
    method: 'POST',
    body: text,
    ...aws,
    sessionToken: session,
    region: 'eu-west-1',
    service: 'bedrock',
    datetime: headers['x-amz-date'] ?? '',
  });
  const signed = await signer.sign();
  expect(headers['authorization']).toBe(signed.headers.get('authorization'));
  expect(headers['x-amz-security-token']).toBe(session);
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const vertexEntry = (address: string) => ({
  kind: 'vertex',
  service_account: JSON.stringify({
    client_email: 'robot@project.example',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: `${address}/token`,
  }),
});
const token = { 'POST /v1/token': json(200, { access_token: 'ya29.token', expires_in: 3600 }) };

function keyed(kind: string) {
  return () => ({ kind, api_key: `${kind}-key` });
}

const claude = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const bedrockPath = `/model/${encodeURIComponent(claude)}/invoke-with-response-stream`;
const vertexClaude = 'claude-sonnet-4-5@20250929';
const vertexPath = `/publishers/anthropic/models/${vertexClaude}:streamRawPredict`;

export const testClouds: readonly Cloud[] = [
  {
    name: 'Azure',
    entry: () => ({ ...keyed('azure')(), api_version: 'preview' }),
    model: 'my-deployment',
    path: '/chat/completions?api-version=preview',
    key: 'my-deployment',
    reply: azureReply,
    check({ headers, body }) {
      expect(headers['api-key']).toBe('azure-key');
      expect(headers).not.toHaveProperty('authorization');
      expect(body).toMatchObject({ max_completion_tokens: 500, stream_options: { include_usage: true } });
    },
  },
  {
    name: 'Mistral',
    entry: keyed('mistral'),
    model: 'mistral-large',
    path: '/chat/completions',
    key: 'mistral-large',
    reply: mistralReply,
    check({ headers, body }) {
      expect(headers['authorization']).toBe('Bearer mistral-key');
      expect(body).not.toHaveProperty('stream_options');
    },
  },
  {
    name: 'Cohere',
    entry: keyed('cohere'),
    model: 'command-a',
    path: '/chat/completions',
    key: 'command-a',
    reply: cohereReply,
    check({ headers, body }) {
      expect(headers['authorization']).toBe('Bearer cohere-key');
      expect(body).not.toHaveProperty('stream_options');
    },
  },
  {
    name: 'Gemini',
    entry: keyed('google'),
    model: 'gemini-3-pro',
    path: '/chat/completions',
    key: 'gemini-3-pro',
    reply: geminiReply,
    check: ({ headers }) => expect(headers['authorization']).toBe('Bearer google-key'),
  },
  {
    name: 'Gemini on Vertex AI',
    entry: vertexEntry,
    model: 'gemini-3-flash',
    path: '/endpoints/openapi/chat/completions',
    key: 'google/gemini-3-flash',
    reply: geminiReply,
    check: ({ headers }) => expect(headers['authorization']).toBe('Bearer ya29.token'),
    others: token,
  },
  {
    name: 'Claude on Vertex AI',
    entry: vertexEntry,
    model: vertexClaude,
    path: vertexPath,
    key: `POST /v1${vertexPath}`,
    reply: vertexClaudeReply,
    check({ headers, body }) {
      expect(headers['authorization']).toBe('Bearer ya29.token');
      expect(headers).not.toHaveProperty('x-api-key');
      expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true, max_tokens: 500 });
      expect(body).not.toHaveProperty('model');
    },
    others: token,
  },
  {
    name: 'Claude on Bedrock',
    entry: () => bedrockEntry,
    model: claude,
    path: bedrockPath,
    key: `POST /v1${bedrockPath}`,
    reply: bedrockReply,
    async check(sent) {
      await expectSigned(sent);
      expect(sent.body).toMatchObject({ anthropic_version: 'bedrock-2023-05-31', max_tokens: 500 });
      for (const name of ['model', 'stream']) expect(sent.body).not.toHaveProperty(name);
    },
  },
  {
    name: 'another model on Bedrock',
    entry: () => bedrockEntry,
    model: 'openai.gpt-oss-120b-1:0',
    path: '/openai/v1/chat/completions',
    key: 'openai.gpt-oss-120b-1:0',
    reply: azureReply,
    check: expectSigned,
  },
  {
    name: 'Bedrock with a key',
    entry: () => ({ kind: 'bedrock', region: 'eu-west-1', api_key: 'bedrock-key' }),
    model: claude,
    path: bedrockPath,
    key: `POST /v1${bedrockPath}`,
    reply: bedrockReply,
    check({ headers }) {
      expect(headers['authorization']).toBe('Bearer bedrock-key');
      expect(headers).not.toHaveProperty('x-amz-date');
    },
  },
];
