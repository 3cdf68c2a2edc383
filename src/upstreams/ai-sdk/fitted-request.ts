import type { ChatRequest } from '../../core/chat/chat-request.ts';
import { translate } from '../../dialects/translate.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { GatewayError } from '../../core/gateway-error.ts';

/** A request without the fields that its provider does not support. */
interface FittedRequest {
  readonly request: ChatRequest;
  /** Notes on what was left out or changed, for the request record. */
  readonly notes: readonly string[];
}

/** Leaves out the fields that the model's entry allows to drop. Throws a refusal that names the field for others. */
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
    notes:
      fields.length > 0 ? [...notes, `left out because the provider does not support it: ${fields.join(', ')}`] : notes,
  };
}

/** Fields that affect only the sampling of tokens. */
const hints: ReadonlySet<string> = new Set(['top_k']);

/** The client receives the detail, which names the field. */
export function unsupported(field: string, remedy: string): GatewayError {
  return new GatewayError('invalid-request', {
    detail: `${field} cannot be forwarded to the provider of this model. ${remedy}`,
  });
}
