import type { StreamEvent } from '../core/stream-event.ts';
import { sseReader } from './sse.ts';

/** Turns the text of a provider's event stream into events, one read at a time. */
export interface EventStreamDecoder {
  /** Whether the last piece of text showed that the answer goes on; comments and parts of events do not. */
  readonly isAlive: boolean;
  /** Whether the answer has begun although nothing of it has come out, since it is not known yet what its words are. */
  readonly isHolding?: boolean;
  /** Nothing more of the answer will come, whatever text still does: the source may be closed and `end` called. */
  readonly isDone: boolean;
  /** Throws when the provider failed, but never swallows what came before: then the next call throws. */
  push(text: string): readonly StreamEvent[];
  /** The source is exhausted. Throws unless the answer was complete. */
  end(): readonly StreamEvent[];
}

/** A decoder that looks at nothing but the data of events. */
export interface EventDataDecoder {
  readonly isHolding?: boolean;
  readonly isDone: boolean;
  push(payloads: readonly string[]): readonly StreamEvent[];
  end(): readonly StreamEvent[];
}

/** More than any event of an answer holds. */
export const eventCharactersMax = 8 * 1024 * 1024;

const nothing: readonly StreamEvent[] = [];

/** For formats in which names, ids and comments of events say nothing. */
export function eventDataDecoder(decoder: EventDataDecoder): EventStreamDecoder {
  const reader = sseReader({ bufferMax: eventCharactersMax });
  let isAlive = false;
  return {
    get isAlive() {
      return isAlive;
    },
    get isHolding() {
      return decoder.isHolding ?? false;
    },
    get isDone() {
      return decoder.isDone;
    },
    push(text) {
      const payloads = reader.push(text);
      isAlive = payloads.length > 0;
      return isAlive ? decoder.push(payloads) : nothing;
    },
    end() {
      const last = reader.end();
      const events = last.length > 0 ? decoder.push(last) : nothing;
      return [...events, ...decoder.end()];
    },
  };
}
