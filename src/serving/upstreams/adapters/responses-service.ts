import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import { assistantTurn } from 'chat-formats/chat/message.ts';
import { decodeResponsesBody, responsesStreamDecoder } from 'chat-formats/responses/answer/response-decoder.ts';
import {
  encodeResponsesRequest,
  responsesTemperatureMax,
  isPassedOn,
} from 'chat-formats/responses/request/encode-request.ts';
import { pricedNotes } from 'chat-formats/priced-fields.ts';
import { translate } from 'chat-formats/translate.ts';
import { formatAnswers, type Service } from './service.ts';
import { providerAddress, type ProviderLink } from '../provider-link.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';
import type { UpstreamCall } from '../upstream.ts';

/** The responses endpoint of a provider. Answers for clients of the same format are passed through. */
export function responsesService(spec: ResolvedUpstream, link: ProviderLink, newId: () => string): Service {
  const address = providerAddress(spec.baseUrl, '/responses');
  return {
    address,
    pool: link.pools.at(address.origin),
    answers: (call) => {
      const isVerbatim = isPassedOn(call.request) && call.prefill === undefined;
      return {
        ...formatAnswers(call, link.answers, {
          format: 'responses',
          newId,
          isVerbatim,
          streamDecoder: responsesStreamDecoder,
          decodeBody: decodeResponsesBody,
        }),
        notes: isVerbatim ? pricedNotes(call.request.priceOptions?.fields) : notesOf(call),
      };
    },
    encode: (call) => {
      const { thinkingDefaults, effortHigh, effortMax, userField, cacheAffinity } = spec.quirks;
      const cacheKey = cacheAffinity === 'none' ? undefined : call.conversation?.();
      const words = { thinkingDefaults, effortHigh, effortMax, keepsUser: userField === 'none' };
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

/** Adds the prefill as the last turn. The client's own body does not contain it, and is dropped. */
function withPrefill({ request, prefill }: UpstreamCall): ChatRequest {
  if (prefill === undefined) return request;
  const messages = [...request.messages, assistantTurn(prefill)];
  return { ...request, messages, wire: { ...request.wire, format: 'chat-completions', body: {} } };
}
