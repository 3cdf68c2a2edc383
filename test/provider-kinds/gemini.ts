import { googleRecordings } from '../bridged/google.ts';
import type { Recordings } from '../bridged/recording.ts';
import { vertexRecordings } from '../bridged/vertex.ts';
import { bridgedKind } from './bridged-kind.ts';
import {
  brokenFrame,
  comment,
  type Counts,
  frames,
  nothing,
  type ProviderKind,
  type ProviderError,
} from './provider-kind.ts';

const errors: Readonly<Record<ProviderError, object>> = {
  overloaded: { code: 503, status: 'UNAVAILABLE' },
  invalid: { code: 400, status: 'INVALID_ARGUMENT' },
};

function chunk(parts: readonly object[], more: object = {}): object {
  return { candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }], responseId: 'Zm9v' };
}

function usageOf({ prompt, completion, cached }: Counts): object {
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion,
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
  };
}

/** Both of Google’s products use the same protocol. */
function geminiKind(recordings: Recordings): ProviderKind {
  return {
    ...bridgedKind(recordings),
    answer: (words, counts) => ({
      begin: nothing,
      words: words.map((text) => frames(chunk([{ text }]))),
      finish: frames({
        ...chunk([{ text: '' }], { finishReason: 'STOP' }),
        ...(counts && { usageMetadata: usageOf(counts) }),
      }),
      end: nothing,
    }),
    fail: (error, message = 'No.') => frames({ error: { message, ...errors[error] } }),
    malformedEvent: brokenFrame,
    sign: comment,
  };
}

export const googleKind = geminiKind(googleRecordings);
export const vertexKind = geminiKind(vertexRecordings);
