import type { StreamEvent } from '../../core/stream-event.ts';
import type { Usage } from '../../core/usage.ts';
import { eventDataDecoder } from '../event-stream-decoder.ts';
import { utf8Reader } from '../utf8.ts';
import type { AnswerEncoding } from './answer-frames.ts';
import { type ChatDecoding, chatStreamDecoder } from './decode-stream.ts';
import { chatStreamEncoder } from './encode-stream.ts';

/** An answer on its way from a provider to a client, both of this format: bytes in, bytes out. */
export interface ChatTranscript {
  /** Whether the last piece showed that the answer goes on. */
  readonly isAlive: boolean;
  /** The answer has begun, but its words are held back until it is known what they are. */
  readonly isHolding: boolean;
  /** Nothing more of the answer will come, whatever bytes still do. */
  readonly isDone: boolean;
  /** What was read, for those who keep count; it is to be looked at before the next piece is. */
  readonly events: readonly StreamEvent[];
  /** Takes what was read and returns what the client gets of it, one character a byte. Throws when the provider failed. */
  push(bytes: Buffer): string;
  /** The source is exhausted. Throws unless the answer is complete. */
  end(): string;
  /** The frames that close the answer. */
  done(usage: Usage): string;
}

/** The general way: every event is read, and every frame is written. */
export function chatTranscript(decoding: ChatDecoding, encoding: AnswerEncoding): ChatTranscript {
  const text = utf8Reader();
  const decoder = eventDataDecoder(chatStreamDecoder(decoding));
  const encoder = chatStreamEncoder(encoding);
  let events: readonly StreamEvent[] = [];

  function encoded(read: readonly StreamEvent[]): string {
    events = read;
    return latin1(encoder.encode(read));
  }

  return {
    get isAlive() {
      return decoder.isAlive;
    },
    get isHolding() {
      return decoder.isHolding ?? false;
    },
    get isDone() {
      return decoder.isDone;
    },
    get events() {
      return events;
    },
    push: (bytes) => encoded(decoder.push(text.push(bytes))),
    end() {
      const rest = text.end();
      const read = rest === '' ? [] : decoder.push(rest);
      return encoded([...read, ...decoder.end()]);
    },
    done: (usage) => latin1(encoder.encode([{ type: 'usage', usage }]) + encoder.done()),
  };
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
