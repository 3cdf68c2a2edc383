import { GatewayError } from '../../../core/gateway-error.ts';
import type { StreamEvent } from '../../../core/chat/stream-event.ts';
import { isObject, parsedJson, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { decodeMessagesError, isMessagesError } from './decode-error.ts';
import { MessageDecoder, type MessagesDecoding } from './message-decoder.ts';

/** Decodes a complete message as a stream whose blocks have all content in their start events. */
export function decodeMessagesBody(text: string, options: MessagesDecoding): readonly StreamEvent[] {
  const body = parsedJson(text);
  if (!isObject(body)) throw notAnAnswer();
  if (isMessagesError(body)) throw decodeMessagesError(body);
  const { content } = body;
  if (!Array.isArray(content)) throw notAnAnswer();
  const events: StreamEvent[] = options.isVerbatim ? [{ type: 'verbatim', text }] : [];
  options.answeredAs?.(nonEmptyString(body.id) ?? '');
  const message = new MessageDecoder(options);
  for (const event of eventsOf(body, content)) message.push(event.type, event, events);
  message.end(events);
  return events;
}

/** The usage comes only at the end: for one body, the usage so far has no use. */
function* eventsOf({ stop_reason, stop_sequence, usage }: WireObject, content: readonly unknown[]) {
  for (const [index, content_block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block };
    yield { type: 'content_block_stop', index };
  }
  yield { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage };
  yield { type: 'message_stop' };
}

function notAnAnswer(): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error("The provider's answer is not a message.") });
}
