import type { StreamEvent } from '../../../core/chat/stream-event.ts';
import { isObject, parsedJson, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { upstreamFailed } from '../../provider-failure.ts';
import { decodeMessagesError, isMessagesError } from './decode-error.ts';
import { MessageDecoder } from './message-decoder.ts';
import type { NamedEventDecoding } from '../../named-event-stream.ts';

/** Decodes a complete message as a stream whose blocks have all content in their start events. */
export function decodeMessagesBody(text: string, options: NamedEventDecoding): readonly StreamEvent[] {
  const body = parsedJson(text);
  if (isObject(body) && isMessagesError(body)) throw decodeMessagesError(body);
  if (!isObject(body) || !Array.isArray(body.content)) throw upstreamFailed("The provider's answer is not a message.");
  const events: StreamEvent[] = options.isVerbatim ? [{ type: 'verbatim', text }] : [];
  options.answeredAs?.(nonEmptyString(body.id) ?? '');
  const message = new MessageDecoder(options);
  for (const event of eventsOf(body, body.content)) message.push(event.type, event, events);
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
