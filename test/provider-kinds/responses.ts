import { chatRequest } from '../call-upstream.ts';
import { type Counts, namedFrames, type ProviderKind, type ProviderError } from './provider-kind.ts';

const codes: Readonly<Record<ProviderError, string>> = {
  overloaded: 'server_is_overloaded',
  invalid: 'invalid_prompt',
};

const item = (status: string, text?: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status,
  content: text === undefined ? [] : [part(text)],
});
const part = (text: string) => ({ type: 'output_text', text, annotations: [] });
const position = { item_id: 'msg_1', output_index: 0, content_index: 0 };

function usageOf(counts: Counts | undefined): unknown {
  if (!counts) return null;
  const { prompt, completion, cached } = counts;
  return {
    input_tokens: prompt,
    output_tokens: completion,
    ...(cached !== undefined && { input_tokens_details: { cached_tokens: cached } }),
  };
}

const response = (status: string, more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status,
  output: [],
  ...more,
});

/** A provider of the responses format, called for a client of another format. */
export const responsesKind: ProviderKind = {
  name: 'openai, responses',
  entry: { kind: 'openai', api_key: 'responses-fixture-key', quirks: { responses: 'only' } },
  model: 'fake-model',
  path: '/responses',
  contentType: 'text/event-stream; charset=utf-8',
  answer: (words, counts) => ({
    begin: namedFrames(
      { type: 'response.created', response: response('in_progress') },
      { type: 'response.in_progress', response: response('in_progress') },
      { type: 'response.output_item.added', output_index: 0, item: item('in_progress') },
      { type: 'response.content_part.added', ...position, part: part('') },
    ),
    words: words.map((delta) => namedFrames({ type: 'response.output_text.delta', ...position, delta })),
    // The final events do not repeat the text, because faults need text that is sent once.
    finish: namedFrames(
      { type: 'response.output_item.done', output_index: 0, item: item('completed') },
      { type: 'response.completed', response: response('completed', { usage: usageOf(counts) }) },
    ),
    end: Buffer.alloc(0),
  }),
  fail: (error, message = 'No.') =>
    namedFrames({ type: 'response.failed', response: response('failed', { error: { code: codes[error], message } }) }),
  malformedEvent: Buffer.from('event: response.output_text.delta\ndata: {"broken\n\n'),
  sign: Buffer.from(': still here\n\n'),
  refusal: { body: { error: { code: 'invalid_prompt', message: 'Not that.' } }, code: 'invalid_prompt' },
  jsonBody: (text, counts) => response('completed', { output: [item('completed', text)], usage: usageOf(counts) }),
};

const body = { model: 'alias', stream: true, input: 'Hello' };

/** The same provider, called for a client of its own format. Its answer is passed through unchanged. */
export const passedResponsesKind: ProviderKind = {
  ...responsesKind,
  name: 'openai, responses passed through',
  entry: { kind: 'openai', api_key: 'responses-fixture-key', quirks: { responses: true } },
  request: chatRequest({ wire: { format: 'responses', body, bytes: JSON.stringify(body).length } }),
};
