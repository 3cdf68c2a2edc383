import type { EventStreamDecoder } from '../../event-stream-decoder.ts';
import { namedEventStreamDecoder } from '../../named-event-stream.ts';
import { decodeResponsesError } from './decode-error.ts';
import { openings, pings, ResponseDecoder, type ResponsesDecoding } from './response-decoder.ts';

export function responsesStreamDecoder(decoding: ResponsesDecoding): EventStreamDecoder {
  return namedEventStreamDecoder({
    answer: new ResponseDecoder(decoding),
    isVerbatim: decoding.isVerbatim,
    pings,
    openings,
    decodeError: decodeResponsesError,
    stop: { name: 'terminal event', frame: '' },
  });
}
