import type { StreamEvent } from '../../core/chat/stream-event.ts';
import { decodeJsonBody } from '../chat-completions/answer/decode-body.ts';
import { completionStreamDecoder } from './decode-stream.ts';

/** Decodes a complete legacy answer from a provider that sent one JSON body instead of a stream. */
export function decodeCompletionBody(text: string): readonly StreamEvent[] {
  return decodeJsonBody(text, completionStreamDecoder());
}
