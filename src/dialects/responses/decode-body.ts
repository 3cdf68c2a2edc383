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
  response.push(unfinished.has(body.status) ? 'response.failed' : 'response.completed', { response: body }, events);
  response.end(events);
  return events;
}

/** What a body says that is not the end of an answer: nobody would go back for the rest. */
const unfinished: ReadonlySet<unknown> = new Set(['failed', 'cancelled', 'queued', 'in_progress']);

function notAnAnswer(): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error("The provider's answer is not a response.") });
}
