import { GatewayError } from '../../core/gateway-error.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import { isObject, parsedJson } from '../wire-value.ts';
import { decodeResponsesError } from './decode-error.ts';
import { ResponseDecoder, type ResponsesDecoding } from './response-decoder.ts';

/** Decodes a whole response, which is a stream of nothing but its end. */
export function decodeResponsesBody(text: string, decoding: ResponsesDecoding): readonly StreamEvent[] {
  const body = parsedJson(text);
  if (!isObject(body)) throw notAnAnswer();
  if (body.error) throw decodeResponsesError(body);
  if (!Array.isArray(body.output)) throw notAnAnswer();
  const events: StreamEvent[] = decoding.isVerbatim ? [{ type: 'verbatim', text }] : [];
  const response = new ResponseDecoder(decoding);
  response.push(body.status === 'failed' ? 'response.failed' : 'response.completed', { response: body }, events);
  response.end(events);
  return events;
}

function notAnAnswer(): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error("The provider's answer is not a response.") });
}
