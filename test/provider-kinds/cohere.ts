import { cohereRecordings } from '../bridged/cohere.ts';
import { bridgedKind } from './bridged-kind.ts';
import { comment, type Counts, namedFrames, nothing, type ProviderKind, type TypedEvent } from './provider-kind.ts';

function usageOf({ prompt, completion, cached }: Counts): object {
  return {
    tokens: { input_tokens: prompt, output_tokens: completion },
    ...(cached !== undefined && { cached_tokens: cached }),
  };
}

function content(type: 'content-start' | 'content-delta', text: string): TypedEvent {
  return { type, index: 0, delta: { message: { content: { type: 'text', text } } } };
}

function end(finish_reason: string, counts?: Counts): TypedEvent {
  return { type: 'message-end', delta: { finish_reason, ...(counts && { usage: usageOf(counts) }) } };
}

/** Cohere’s chat API, which reports errors as finish reasons. */
export const cohereKind: ProviderKind = {
  ...bridgedKind(cohereRecordings),
  answer: (words, counts) => ({
    begin: namedFrames(
      { type: 'message-start', id: 'c1', delta: { message: { role: 'assistant', content: [] } } },
      content('content-start', ''),
    ),
    words: words.map((text) => namedFrames(content('content-delta', text))),
    finish: namedFrames({ type: 'content-end', index: 0 }, end('COMPLETE', counts)),
    end: nothing,
  }),
  fail: (error) => namedFrames(end(error === 'overloaded' ? 'ERROR' : 'ERROR_LIMIT')),
  malformedEvent: Buffer.from('event: content-delta\ndata: {"broken\n\n'),
  sign: comment,
};
