import type { ChatRequest } from '../../core/chat/chat-request.ts';
import { assistantTurn } from '../../core/chat/message.ts';
import { MarkupStage, withMarkup } from '../../dialects/markup/markup-stage.ts';
import { decodeResponsesBody, responsesStreamDecoder } from '../../dialects/responses/answer/response-decoder.ts';
import {
  encodeResponsesRequest,
  responsesTemperatureMax,
  isPassedOn,
} from '../../dialects/responses/request/encode-request.ts';
import { pricedNotes } from '../../dialects/priced-fields.ts';
import { translate } from '../../dialects/translate.ts';
import { markupOfCall } from './markup-of-call.ts';
import { providerAddress } from '../provider-address.ts';
import type { ProviderLink } from '../provider-link.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';
import type { Service } from './service.ts';
import type { UpstreamCall } from '../upstream.ts';

/** The responses endpoint of a provider. Answers for clients of the same format are passed through. */
export function responsesService(spec: ResolvedUpstream, link: ProviderLink, newId: () => string): Service {
  const address = providerAddress(spec.baseUrl, '/responses');
  return {
    address,
    pool: link.poolAt(address.origin),
    answers: (call) => {
      const isVerbatim = isPassedOn(call.request) && call.prefill === undefined;
      const isJsonReply = isVerbatim && !call.request.wantsStream;
      const { timeouts } = link.answers;
      const answeredAs = call.trace?.answeredAs;
      const inStream = { newId, isVerbatim: isVerbatim && !isJsonReply, answeredAs };
      const inBody = { newId, isVerbatim: isJsonReply, answeredAs };
      const markup = markupOfCall(call);
      return {
        ...link.answers,
        notes: isVerbatim ? pricedNotes(call.request.priceOptions?.fields) : notesOf(call),
        // The first event of a whole answer comes after its last token, so the total timeout applies.
        ...(isJsonReply && { timeouts: { ...timeouts, firstEvent: timeouts.total } }),
        streamDecoder: () => withMarkup(responsesStreamDecoder(inStream), { ...inStream, markup }),
        decodeBody: (text) => new MarkupStage({ ...inBody, markup }).push(decodeResponsesBody(text, inBody)),
      };
    },
    encode: (call) => {
      const { effortHigh, effortMax, userField, cacheAffinity } = spec.quirks;
      const cacheKey = cacheAffinity === 'none' ? undefined : call.conversation?.();
      const words = { effortHigh, effortMax, keepsUser: userField === 'none' };
      const { model, thinking: thinkingCapable, untranslatable } = call;
      const request = withPrefill(call);
      const encoding = { model, maxTokens: request.maxTokens, thinkingCapable, ...words, untranslatable, cacheKey };
      return encodeResponsesRequest(request, encoding);
    },
  };
}

function notesOf({ request, untranslatable }: UpstreamCall): readonly string[] {
  return translate(request, { untranslatable, temperatureMax: responsesTemperatureMax }).notes;
}

/**
 * Adds the prefill, if there is one, as the last turn. The client's own body is dropped, because it does not contain
 * the prefill.
 */
function withPrefill({ request, prefill }: UpstreamCall): ChatRequest {
  if (prefill === undefined) return request;
  const messages = [...request.messages, assistantTurn(prefill)];
  return { ...request, messages, wire: { ...request.wire, format: 'chat-completions', body: {} } };
}
