import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import { assistantTurn } from 'chat-formats/chat/message.ts';
import { decodeMessagesBody, messagesStreamDecoder } from 'chat-formats/messages/answer/message-decoder.ts';
import {
  encodeCountTokens,
  encodeMessagesRequest,
  messagesTemperatureMax,
} from 'chat-formats/messages/request/encode-request.ts';
import { pricedNotes } from 'chat-formats/priced-fields.ts';
import { translate } from 'chat-formats/translate.ts';
import { listOf, objectOf, parsedJson } from 'chat-formats/wire-value.ts';
import { type AnswerParts, type Framing, openAnswer } from '../answer/answer.ts';
import { type LinkDeps, type ProviderAddress, providerAddress, providerLink, signedLines } from '../provider-link.ts';
import { requestText } from '../http1/request-text.ts';
import { formatAnswers } from './service.ts';
import type { CallParts } from '../answer/refused-response.ts';
import { messagesHeaders, tracedLines } from './request-headers.ts';
import { messagesThinkingStyle } from './messages-thinking-style.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';
import { limitStops } from '../limit-stops.ts';
import type { Upstream, UpstreamCall } from '../upstream.ts';
import { exchangeText } from '../http1/fetch-text.ts';
import type { HttpPool } from '../http1/pool.ts';
import { refusal } from '../answer/refusal.ts';

/** Where a provider serves the messages format, and how it differs from the public API. */
export interface MessagesEndpoint {
  address(model: string, isStream: boolean): ProviderAddress;
  /** The body that it accepts, given that of the public API and the value of its header for betas. */
  body(text: string, betas: string | undefined): string;
  /** Undefined if it does not count prompts. */
  readonly counting?: { readonly address: ProviderAddress; body(text: string): string };
  readonly keyHeaders: (key: string) => Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly framing?: Framing;
}

/** A provider with the messages format over HTTP. Answers for clients of the same format are passed through. */
export function messagesCompatible(
  spec: ResolvedUpstream,
  deps: LinkDeps,
  endpoint = publicEndpoint(spec),
  link = providerLink(spec, deps),
): Upstream {
  const { newId } = deps;
  const { counting, accept, framing } = endpoint;
  const headers = messagesHeaders(spec, spec.apiKeys.map(endpoint.keyHeaders), accept);

  /** The text of the request. Rejects if the provider needs an access token and gives none. */
  async function requestTo(address: ProviderAddress, call: UpstreamCall, body: string, signal: AbortSignal) {
    await link.signer?.prepare(signal);
    const lines = tracedLines(spec, headers.linesFor(call.request, call.credential), call.trace);
    return requestText('POST', address, signedLines(link, lines, address, body), body);
  }

  async function open(given: UpstreamCall, signal: AbortSignal): Promise<EventFlow> {
    const call = limitStops(given, spec.quirks.stopMax);
    const { model, thinking, maxOutputTokens, untranslatable, cache } = call;
    const request = withPrefill(call);
    const address = endpoint.address(model, !isJsonReply(call));
    const body = encodeMessagesRequest(request, {
      model,
      maxTokens: request.maxTokens,
      maxOutputTokens,
      thinkingCapable: thinking,
      untranslatable,
      cache,
      thinkingStyle: spec.quirks.messagesThinking ?? messagesThinkingStyle(model),
    });
    const betas = headers.formatHeaders(call.request)['anthropic-beta'];
    const parts = answersOf(call, link.answers, newId);
    return openAnswer(
      link.pools.at(address.origin),
      await requestTo(address, call, endpoint.body(body, betas), signal),
      { ...parts, ...(framing && { framing }), sent: call.sent, refused: call.refused },
      signal,
    );
  }

  return {
    name: spec.name,
    credentials: headers.credentials,
    keeps: spec.quirks,
    reportsSent: true,
    open,
    ...(counting && {
      countTokens: async (call: UpstreamCall, signal: AbortSignal) => {
        const body = counting.body(encodeCountTokens(call.request, { model: call.model }));
        const request = await requestTo(counting.address, call, body, signal);
        return countByProvider(link.pools.at(counting.address.origin), request, link.answers, signal);
      },
    }),
    close: () => link.pools.close(),
  };
}

function publicEndpoint({ baseUrl }: ResolvedUpstream): MessagesEndpoint {
  const address = providerAddress(baseUrl, messagesPath(baseUrl));
  return {
    address: () => address,
    body: String,
    counting: { address: providerAddress(baseUrl, `${messagesPath(baseUrl)}/count_tokens`), body: String },
    keyHeaders: (key) => ({ 'x-api-key': key }),
  };
}

/** Whether the client gets the provider's own body, which is then no stream. */
function isJsonReply({ request, prefill }: UpstreamCall): boolean {
  return request.wire.format === 'messages' && prefill === undefined && !request.wantsStream;
}

function answersOf(call: UpstreamCall, answers: CallParts, newId: () => string): AnswerParts {
  const { request, prefill, untranslatable } = call;
  const isSameFormat = request.wire.format === 'messages';
  return {
    ...formatAnswers(call, answers, {
      format: 'messages',
      newId,
      isVerbatim: isSameFormat && prefill === undefined,
      streamDecoder: messagesStreamDecoder,
      decodeBody: decodeMessagesBody,
    }),
    notes: isSameFormat
      ? pricedNotes(request.priceOptions?.fields)
      : translate(request, { untranslatable, temperatureMax: messagesTemperatureMax }).notes,
  };
}

/** Adds the prefill as the last turn: in this format the model continues from it. */
function withPrefill({ request, prefill }: UpstreamCall): ChatRequest {
  if (prefill === undefined) return request;
  const messages = [...request.messages, assistantTurn(prefill)];
  if (request.wire.format !== 'messages') return { ...request, messages };
  const { body } = request.wire;
  const turns = [...listOf(body['messages']), { role: 'assistant', content: prefill }];
  const text = JSON.stringify({ ...body, messages: turns, stream: true });
  return { ...request, messages, wire: { ...request.wire, text } };
}

/** Some operators write the address with the version and some without, as in client libraries of this format. */
function messagesPath(baseUrl: string): string {
  return /\/v\d+\/*$/.test(new URL(baseUrl).pathname) ? '/messages' : '/v1/messages';
}

/** After this time the gateway uses an estimate instead. */
const countTimeoutMs = 10_000;
const countBytesMax = 64 * 1024;

/** The provider's own count; `undefined` if it has no such endpoint or does not answer in time. */
async function countByProvider(
  pool: HttpPool,
  request: string,
  answers: CallParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const limits = { clock: answers.clock, timeoutMs: countTimeoutMs, bytesMax: countBytesMax, signal };
  const response = await exchangeText(pool, request, limits).catch(() => undefined);
  signal.throwIfAborted();
  if (!response) return undefined;
  const { status } = response.head;
  if (status === 400 || status === 413 || status === 422) throw refusal(answers, status, response.text);
  return status === 200 ? countIn(response.text) : undefined;
}

function countIn(text: string): number | undefined {
  const counted = objectOf(parsedJson(text))?.['input_tokens'];
  return Number.isSafeInteger(counted) && Number(counted) >= 0 ? Number(counted) : undefined;
}
