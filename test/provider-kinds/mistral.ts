import { mistralRecordings } from '../bridged/mistral.ts';
import { bridgedKind } from './bridged-kind.ts';
import {
  brokenFrame,
  comment,
  type Counts,
  doneFrame,
  frames,
  type ProviderKind,
  type ProviderError,
} from './provider-kind.ts';

const errors: Readonly<Record<ProviderError, object>> = {
  overloaded: { type: 'service_tier', code: '3505' },
  invalid: { type: 'invalid_request_error', code: '3051' },
};

function chunk(delta: object, finish_reason: string | null = null): object {
  return { id: 'cmpl-1', created: 1_760_000_000, model: 'm', choices: [{ index: 0, delta, finish_reason }] };
}

function usageOf({ prompt, completion, cached }: Counts): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: completion,
    ...(cached !== undefined && { num_cached_tokens: cached }),
  };
}

/** Mistral’s chat API, which reports its usage together with the finish reason. */
export const mistralKind: ProviderKind = {
  ...bridgedKind(mistralRecordings),
  answer: (words, counts) => ({
    begin: frames(chunk({ role: 'assistant', content: '' })),
    words: words.map((content) => frames(chunk({ content }))),
    finish: frames({ ...chunk({ content: '' }, 'stop'), ...(counts && { usage: usageOf(counts) }) }),
    end: doneFrame,
  }),
  fail: (error, message = 'No.') => frames({ object: 'error', message, ...errors[error] }),
  malformedEvent: brokenFrame,
  sign: comment,
};
