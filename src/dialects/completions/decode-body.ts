import type { StreamEvent } from '../../core/stream-event.ts';
import { decodeWholeBody } from '../chat-completions/decode-body.ts';
import { completionStreamDecoder } from './decode-stream.ts';

/** Decodes a whole legacy completion from a provider that answered with one JSON body although a stream was asked for. */
export function decodeCompletionBody(text: string): readonly StreamEvent[] {
  return decodeWholeBody(text, completionStreamDecoder());
}
