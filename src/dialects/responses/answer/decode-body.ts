import { GatewayError } from '../../../core/gateway-error.ts';
import type { StreamEvent } from '../../../core/chat/stream-event.ts';
import { isObject, parsedJson } from '../../wire-value.ts';
import { decodeResponsesError } from './decode-error.ts';
import { ResponseDecoder, type ResponsesDecoding } from './response-decoder.ts';

/** Decodes a complete response. It is handled like a stream that has only its last event. */
export function decodeResponsesBody(text: string, decoding: ResponsesDecoding): readonly StreamEvent[] {
  const body = parsedJson(text);
  if (!isObject(body)) throw notAnAnswer();
  if (body.error) throw decodeResponsesError(body);
  if (!Array.isArray(body.output)) throw notAnAnswer();
  const events: StreamEvent[] = decoding.isVerbatim ? [{ type: 'verbatim', text }] : [];
  const response = new ResponseDecoder(decoding);
  response.push(unfinished.has(body.status) ? 'response.failed' : 'response.completed', { response: body }, events);
  response.end(events);
  return events;
}

/** Statuses of a body that is not a complete answer. The gateway does not fetch the rest later. */
const unfinished: ReadonlySet<unknown> = new Set(['failed', 'cancelled', 'queued', 'in_progress']);

function notAnAnswer(): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error("The provider's answer is not a response.") });
}
