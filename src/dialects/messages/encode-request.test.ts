import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { decodeCountTokensRequest, decodeMessagesRequest } from './decode-request.ts';
import { encodeCountTokens, encodeMessagesRequest, type MessagesRequestEncoding } from './encode-request.ts';

const plain: MessagesRequestEncoding = {
  model: 'theirs',
  maxTokens: undefined,
  maxOutputTokens: undefined,
  thinkingCapable: false,
  thinkingStyle: 'budget',
};

describe('for a provider of the same format', () => {
  const text = `{ "stream":true, "max_tokens" : 900,
    "unknown": [1.0, 1e2, {"model":"nested"}], "model":"ours",
    "messages":[{"role":"user","content":[{"type":"hologram","model":"m","\\u0061":"\\ud83d\\ude00"},{"type":"text","text":"ünï"}]}] }`;
  const decoded = () => decodeMessagesRequest(JSON.parse(text), { text, bytes: text.length, headers: {} });
  const hash = (words: string) => createHash('sha256').update(words).digest('hex');

  test('the client’s text goes up byte for byte but for the model', () => {
    const sent = encodeMessagesRequest(decoded(), { ...plain, maxTokens: 900 });
    expect(hash(sent)).toBe(hash(text.replace('"ours"', '"theirs"')));
  });

  test('a lowered cap is put in too', () => {
    const sent = encodeMessagesRequest(decoded(), { ...plain, maxTokens: 500 });
    expect(sent).toBe(text.replace('"ours"', '"theirs"').replace('900', '500'));
  });

  test('thinking defaults do not touch it', () => {
    const sent = encodeMessagesRequest(decoded(), { ...plain, maxTokens: 900, thinkingCapable: true });
    expect(sent).toBe(text.replace('"ours"', '"theirs"'));
  });

  test('counting tokens sends the same text', () => {
    const own = '{"messages":[{"role":"user","content":"x"}],"model":"ours"}';
    const request = decodeCountTokensRequest(JSON.parse(own), { text: own, bytes: own.length, headers: {} });
    expect(encodeCountTokens(request, { model: 'theirs' })).toBe(own.replace('ours', 'theirs'));
  });
});
