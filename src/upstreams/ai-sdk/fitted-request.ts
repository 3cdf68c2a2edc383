import type { ChatRequest } from '../../core/chat-request.ts';
import { translate } from '../../dialects/untranslatable.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { unsupported } from './unsupported.ts';

/** A request without what its provider has no word for. */
export interface FittedRequest {
  readonly request: ChatRequest;
  /** What was left out or changed, in words for the record of the request. */
  readonly notes: readonly string[];
}

/** Leaves out what the model's entry allows to be left out, and throws a refusal that names the field for the rest. */
export function fittedRequest(call: UpstreamCall, kind: BridgeKind): FittedRequest {
  const { request, untranslatable = 'hints' } = call;
  const { temperature, notes } = translate(request, { untranslatable, temperatureMax: kind.temperatureMax });
  const fields = kind.inexpressible(call);
  for (const field of fields) {
    const isLeftOut = untranslatable === 'drop' || (untranslatable === 'hints' && hints.has(field));
    if (!isLeftOut) throw unsupported(field, 'Leave it out.');
  }
  return {
    request: {
      ...request,
      temperature,
      topK: fields.includes('top_k') ? undefined : request.topK,
      parallelToolCalls: fields.includes('parallel_tool_calls') ? undefined : request.parallelToolCalls,
      answerFormat: fields.includes('response_format.type') ? undefined : request.answerFormat,
    },
    notes: fields.length > 0 ? [...notes, `left out for want of a word at the provider: ${fields.join(', ')}`] : notes,
  };
}

/** Only how tokens are drawn. */
const hints: ReadonlySet<string> = new Set(['top_k']);
