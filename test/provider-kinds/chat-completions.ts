import { chatRequest } from '../call-upstream.ts';
import {
  brokenFrame,
  comment,
  type Counts,
  doneFrame,
  frames,
  type ProviderKind,
  type ProviderError,
} from './provider-kind.ts';

const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'fake' };

function chunk(delta: object, finish_reason: string | null = null): object {
  return { ...envelope, choices: [{ index: 0, delta, finish_reason }] };
}

function usageOf({ prompt, completion, cached }: Counts): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
  };
}

const errors: Readonly<Record<ProviderError, object>> = {
  overloaded: { type: 'server_error', code: 503 },
  invalid: { type: 'invalid_request_error', code: 'unsupported_value' },
};

/** A provider of the chat-completions format. */
export const chatKind: ProviderKind = {
  name: 'openai',
  entry: { kind: 'openai', api_key: 'openai-fixture-key' },
  model: 'fake-model',
  path: '/chat/completions',
  contentType: 'text/event-stream',
  answer: (words, counts) => ({
    begin: frames(chunk({ role: 'assistant', content: '' })),
    words: words.map((content) => frames(chunk({ content }))),
    finish: frames(chunk({}, 'stop'), ...(counts ? [{ ...envelope, choices: [], usage: usageOf(counts) }] : [])),
    end: doneFrame,
  }),
  fail: (error, message = 'No.') => frames({ error: { message, ...errors[error] } }),
  malformedEvent: brokenFrame,
  sign: comment,
  refusal: { body: { error: { message: 'Not that.', ...errors.invalid } }, code: 'unsupported_value' },
  jsonBody: (content, counts) => ({
    ...envelope,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: usageOf(counts),
  }),
};

function textChunk(text: string, finish_reason: string | null = null): object {
  return { ...envelope, object: 'text_completion', choices: [{ index: 0, text, finish_reason }] };
}

const completionBody = { model: 'alias', prompt: 'Hello' };

/** The older completions endpoint of the same provider. */
export const completionsKind: ProviderKind = {
  ...chatKind,
  name: 'openai, completions',
  entry: { ...chatKind.entry, quirks: { completions: true } },
  path: '/completions',
  request: chatRequest({
    wire: { format: 'completions', body: completionBody, bytes: JSON.stringify(completionBody).length },
  }),
  answer: (words, counts) => ({
    begin: Buffer.alloc(0),
    words: words.map((word) => frames(textChunk(word))),
    finish: frames(textChunk('', 'stop'), ...(counts ? [{ ...envelope, choices: [], usage: usageOf(counts) }] : [])),
    end: doneFrame,
  }),
  jsonBody: (text, counts) => ({
    ...envelope,
    object: 'text_completion',
    choices: [{ index: 0, text, finish_reason: 'stop' }],
    usage: usageOf(counts),
  }),
};
