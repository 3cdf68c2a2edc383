import type { EventStreamDecoder } from '../../event-stream-decoder.ts';
import { namedEventStreamDecoder } from '../../named-event-stream.ts';
import { decodeMessagesError } from './decode-error.ts';
import { MessageDecoder, type MessagesDecoding } from './message-decoder.ts';
import { messageStopFrame } from './message-frames.ts';

export function messagesStreamDecoder(decoding: MessagesDecoding): EventStreamDecoder {
  return namedEventStreamDecoder({
    answer: new MessageDecoder(decoding),
    isVerbatim: decoding.isVerbatim,
    pings: new Set(['ping']),
    openings: new Set(['message_start']),
    decodeError: decodeMessagesError,
    stop: { name: 'message_stop', frame: messageStopFrame },
  });
}
