import { awsChunk, awsException } from '../clouds/aws-event-stream.ts';
import { chatKind } from './chat-completions.ts';
import { messagesKind } from './messages.ts';
import { type ProviderKind, type SplitAnswer } from './provider-kind.ts';

function chatCloud(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  more: Partial<ProviderKind> = {},
): ProviderKind {
  return { ...chatKind, name, entry: { kind: name, api_key: `${name}-fixture-key`, ...entry }, ...more };
}

/** Providers of the chat-completions format with settings or quirks of their own. */
const chatClouds: readonly ProviderKind[] = [
  chatCloud('azure', {}),
  chatCloud('cohere', {}),
  chatCloud('mistral', {}),
  chatCloud('google', {}),
  chatCloud('vertex', {}, { model: 'google/gemini-3-pro', path: '/endpoints/openapi/chat/completions' }),
];

/** The events of the messages format in binary frames. */
function framed(bytes: Buffer): Buffer {
  const events = bytes.toString().matchAll(/^data: (.*)$/gm);
  return Buffer.concat([...events].map(([, json = '']) => awsChunk(JSON.parse(json))));
}

function withoutItsChecksum(frame: Buffer): Buffer {
  const broken = Buffer.from(frame);
  broken.writeUInt32BE(0, broken.length - 4);
  return broken;
}

const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0';

/** Claude on Amazon Bedrock, with signed requests and binary frames. */
const bedrockKind: ProviderKind = {
  name: 'bedrock',
  entry: { kind: 'bedrock', region: 'us-east-1', access_key_id: 'AKIDEXAMPLE', secret_access_key: 'wJalrXUtnFEMI' },
  model: claude,
  path: `/model/${encodeURIComponent(claude)}/invoke-with-response-stream`,
  contentType: 'application/vnd.amazon.eventstream',
  answer(words, counts): SplitAnswer {
    const { begin, words: pieces, finish, end } = messagesKind.answer(words, counts);
    return { begin: framed(begin), words: pieces.map(framed), finish: framed(finish), end: framed(end) };
  },
  fail: (error, message = 'No.') =>
    awsException(error === 'overloaded' ? 'serviceUnavailableException' : 'validationException', { message }),
  ...(messagesKind.jsonBody && { jsonBody: messagesKind.jsonBody }),
  malformedEvent: withoutItsChecksum(awsChunk({ type: 'ping' })),
  refusal: {
    body: { message: 'Malformed input request' },
    headers: { 'x-amzn-errortype': 'ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/' },
    code: undefined,
  },
};

/** Claude on Vertex AI. */
const vertexClaudeKind: ProviderKind = {
  ...messagesKind,
  name: 'vertex, Claude',
  entry: { kind: 'vertex', api_key: 'vertex-fixture-key' },
  model: 'claude-sonnet-4-5@20250929',
  path: '/publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict',
};

export const cloudKinds: readonly ProviderKind[] = [...chatClouds, bedrockKind, vertexClaudeKind];
