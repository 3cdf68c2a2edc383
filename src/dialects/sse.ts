import { createParser } from 'eventsource-parser';
import type { GatewayError } from '../core/gateway-error.ts';
import { upstreamFailed } from './provider-failure.ts';

/** Returns the data of each complete event, in order. Names, ids and comments are skipped. */
export interface SseReader {
  push(text: string): readonly string[];
  /** The last event, if the source ended without its blank line. */
  end(): readonly string[];
}

const none: readonly string[] = [];

/** Throws `upstream-failed` as soon as one event is longer than `bufferMax` characters, complete or not. */
export function sseReader(options: { readonly bufferMax: number }): SseReader {
  const { bufferMax } = options;
  let completed: string[] = [];
  const parser = createParser({
    // The parser counts whole lines; the field name is not part of the data.
    maxBufferSize: bufferMax + 'data: '.length,
    onEvent: (event) => {
      // The parser limits only its buffer between two calls, not an event that arrives complete.
      if (event.data.length > bufferMax) throw tooLong(bufferMax);
      completed.push(event.data);
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw tooLong(bufferMax);
    },
  });
  const push = (text: string): readonly string[] => {
    parser.feed(text);
    if (completed.length === 0) return none;
    const data = completed;
    completed = [];
    return data;
  };
  return { push, end: () => push('\n\n') };
}

export function tooLong(bufferMax: number): GatewayError {
  return upstreamFailed(`An event of the provider's stream is longer than ${bufferMax} characters.`);
}
