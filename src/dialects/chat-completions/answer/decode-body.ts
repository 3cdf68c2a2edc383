import { GatewayError } from '../../../core/gateway-error.ts';
import type { StreamEvent } from '../../../core/chat/stream-event.ts';
import { isObject, parsedJson } from '../../wire-value.ts';
import { type ChatDecoding, chatStreamDecoder } from './decode-stream.ts';
import type { StreamDecoder } from './stream-decoder.ts';

/** Decodes a complete answer from a provider that sent one JSON body instead of a stream. */
export function decodeChatBody(text: string, options: ChatDecoding): readonly StreamEvent[] {
  return decodeJsonBody(text, chatStreamDecoder(options));
}

/** Decodes a complete answer as a stream of one chunk followed by `[DONE]`. */
export function decodeJsonBody(text: string, decoder: StreamDecoder): readonly StreamEvent[] {
  if (!isAnswer(text)) throw notAnAnswer();
  const events = decoder.push([text, '[DONE]']);
  return [...events, ...decoder.end()];
}

function isAnswer(text: string): boolean {
  return isObject(parsedJson(text));
}

function notAnAnswer(): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error("The provider's answer is not a JSON object.") });
}
