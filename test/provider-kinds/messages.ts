import { chatRequest } from '../call-upstream.ts';
import { type Counts, namedFrames, type ProviderKind, type ProviderError, type TypedEvent } from './provider-kind.ts';

function inputOf({ prompt, cached }: Counts): object {
  return { input_tokens: prompt, ...(cached !== undefined && { cache_read_input_tokens: cached }) };
}

const errorTypes: Readonly<Record<ProviderError, string>> = {
  overloaded: 'overloaded_error',
  invalid: 'invalid_request_error',
};

function errorOf(error: ProviderError, message: string): TypedEvent {
  return { type: 'error', error: { type: errorTypes[error], message } };
}

/** A provider of the messages format, called for a client of another format. */
export const messagesKind: ProviderKind = {
  name: 'anthropic',
  entry: { kind: 'anthropic', api_key: 'anthropic-fixture-key' },
  model: 'fake-model',
  path: '/messages',
  contentType: 'text/event-stream; charset=utf-8',
  answer: (words, counts) => ({
    begin: namedFrames(
      {
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', content: [], ...(counts && { usage: inputOf(counts) }) },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ),
    words: words.map((text) =>
      namedFrames({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    finish: namedFrames(
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        ...(counts && { usage: { output_tokens: counts.completion } }),
      },
    ),
    end: namedFrames({ type: 'message_stop' }),
  }),
  fail: (error, message = 'No.') => namedFrames(errorOf(error, message)),
  malformedEvent: Buffer.from('event: content_block_delta\ndata: {"broken\n\n'),
  sign: Buffer.from(': still here\n\n'),
  refusal: { body: errorOf('invalid', 'Not that.'), code: 'invalid_request_error' },
  jsonBody: (text, counts) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text }],
    stop_reason: 'end_turn',
    usage: { ...inputOf(counts), output_tokens: counts.completion },
  }),
};

const body = { model: 'alias', max_tokens: 10, stream: true, messages: [{ role: 'user', content: 'Hello' }] };
const text = JSON.stringify(body);

/** The same provider, called for a client of its own format. Its answer is passed through unchanged. */
export const passedThroughKind: ProviderKind = {
  ...messagesKind,
  name: 'anthropic, passed through',
  request: chatRequest({ maxTokens: 10, wire: { format: 'messages', body, text, bytes: text.length } }),
};
