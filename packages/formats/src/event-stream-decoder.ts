import type { StreamEvent } from './chat/stream-event.ts';
import { sseReader } from './sse.ts';

export interface EventStreamDecoder {
  /** Whether the last text contained a complete event. Comments and partial events do not count. */
  readonly isAlive: boolean;
  /** Whether the answer has begun but its text is held back, because it may be reasoning. */
  readonly isHolding?: boolean;
  /** The answer is complete or failed. Later text is ignored: close the source and call `end`. */
  readonly isDone: boolean;
  /** Throws if the provider failed. If the same text also contains events, returns those; then the next call throws. */
  push(text: string): readonly StreamEvent[];
  /** Call it when the source has ended. Throws unless the answer was complete. */
  end(): readonly StreamEvent[];
}

/** A decoder that reads only the data of events. */
export interface EventDataDecoder {
  readonly isHolding?: boolean;
  readonly isDone: boolean;
  push(payloads: readonly string[]): readonly StreamEvent[];
  end(): readonly StreamEvent[];
}

/** Longer than any valid event of an answer. */
export const eventCharactersMax = 8 * 1024 * 1024;

const nothing: readonly StreamEvent[] = [];

/** For formats that ignore the names, ids and comments of events. */
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

/** A decoder whose events pass a further step. `isHolding` replaces the decoder's own. */
export function withStep(
  decoder: EventStreamDecoder,
  step: (events: readonly StreamEvent[]) => readonly StreamEvent[],
  isHolding = () => decoder.isHolding ?? false,
): EventStreamDecoder {
  return {
    get isAlive() {
      return decoder.isAlive;
    },
    get isHolding() {
      return isHolding();
    },
    get isDone() {
      return decoder.isDone;
    },
    push: (text) => step(decoder.push(text)),
    end: () => step(decoder.end()),
  };
}
