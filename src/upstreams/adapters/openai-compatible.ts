import { LRUCache } from 'lru-cache';
import { isOfOtherFormat } from '../../core/chat/chat-request.ts';
import type { EventFlow } from '../../core/chat/event-flow.ts';
import type { PassThroughAnswer, PassThroughStream } from '../../core/chat/pass-through-call.ts';
import { decodeChatBody } from '../../dialects/chat-completions/answer/decode-body.ts';
import { type ChatDecoding, chatStreamDecoder } from '../../dialects/chat-completions/answer/decode-stream.ts';
import { chatTemperatureMax, encodeChatRequest } from '../../dialects/chat-completions/request/encode-request.ts';
import { shortNames, withLongNames } from '../../dialects/chat-completions/request/short-names.ts';
import { ChatSplice } from '../../dialects/chat-completions/splice/splice.ts';
import { SpliceMemory } from '../../dialects/chat-completions/splice/splice-memory.ts';
import { completionStreamDecoder, decodeCompletionBody } from '../../dialects/completions/decode-stream.ts';
import { encodeCompletionRequest } from '../../dialects/completions/encode-request.ts';
import { eventDataDecoder } from '../../dialects/event-stream-decoder.ts';
import { pricedNotes } from '../../dialects/priced-fields.ts';
import { translate } from '../../dialects/translate.ts';
import { adoptAnswer, openAnswer } from '../answer/answer.ts';
import { attributed } from '../answer/attribution.ts';
import { callPassThrough, sendInSequence } from './pass-through-call.ts';
import { providerAddress } from '../provider-address.ts';
import { type HeaderLines, headerLines, requestBytes, requestText } from '../http1/request-text.ts';
import { markupOfCall } from './markup-of-call.ts';
import { type LinkDeps, providerLink } from '../provider-link.ts';
import { requestHeaders } from './request-headers.ts';
import { responsesService } from './responses-service.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';
import type { Service } from './service.ts';
import { limitStops } from '../limit-stops.ts';
import { tracedLines } from './traced-lines.ts';
import type { PassThroughUpstreamCall, ReadyCall, Upstream, UpstreamCall } from '../upstream.ts';

/** More models than one provider serves at a time. */
const memoriesMax = 256;

/** A provider with the chat-completions format over HTTP. */
export function openAiCompatible(spec: ResolvedUpstream, deps: LinkDeps & { readonly newId: () => string }): Upstream {
  const { newId } = deps;
  const { name, quirks } = spec;
  /** The responses format has no stop sequences. */
  const keeps = quirks.responses === 'only' ? { ...quirks, stopMax: 0 } : quirks;
  const link = providerLink(spec, deps);
  const credentials = spec.apiKeys.map((key) => ({ authorization: `Bearer ${key}` }));
  const headers = requestHeaders(credentials, spec.headers);
  const affinity = affinityLines(spec);

  function decodingOf(call: UpstreamCall): ChatDecoding {
    const keepsFields = call.request.wire.format === 'chat-completions';
    return { newId, markup: markupOfCall(call), keepsFields, answeredAs: call.trace?.answeredAs };
  }

  function chatService(baseUrl: string): Service {
    const address = providerAddress(baseUrl, '/chat/completions');
    return {
      address,
      pool: link.poolAt(address.origin),
      answers: (call) => {
        const names = shortNames(call.request);
        const decoding = decodingOf({ ...call, request: names.request });
        return {
          ...link.answers,
          notes: notesOf(call),
          streamDecoder: () => withLongNames(eventDataDecoder(chatStreamDecoder(decoding)), names),
          decodeBody: (text) => names.long(decodeChatBody(text, decoding)),
        };
      },
      encode: ({ model, thinking, request, prefill, untranslatable, conversation }) =>
        encodeChatRequest(shortNames(request).request, {
          model,
          maxTokens: request.maxTokens,
          thinkingCapable: thinking,
          quirks,
          prefill,
          cacheKey: quirks.cacheAffinity === 'prompt_cache_key' ? conversation?.() : undefined,
          untranslatable,
        }),
    };
  }

  function completionsService(): Service {
    const answers = (call: UpstreamCall) => ({
      ...link.answers,
      notes: notesOf(call),
      streamDecoder: () => eventDataDecoder(completionStreamDecoder()),
      decodeBody: decodeCompletionBody,
    });
    const address = providerAddress(quirks.completionsUrl ?? spec.baseUrl, '/completions');
    return {
      address,
      pool: link.poolAt(address.origin),
      answers,
      encode: ({ model, request, prefill }) =>
        encodeCompletionRequest(request, { model, maxTokens: request.maxTokens, quirks, prefill }),
    };
  }

  const chat = chatService(spec.baseUrl);
  const continued = quirks.prefixUrl === undefined ? chat : chatService(quirks.prefixUrl);
  /** If the provider has no completions endpoint, a prompt is sent to the chat endpoint as a message. */
  const completions = quirks.completions ? completionsService() : chat;

  const responses = quirks.responses === false ? undefined : responsesService(spec, link, newId);

  function serviceFor({ request, prefill }: UpstreamCall): Service {
    if (responses && (quirks.responses === 'only' || (request.wire.format === 'responses' && prefill === undefined)))
      return responses;
    if (request.wire.format === 'completions' && completions !== chat) return completions;
    return prefill === undefined ? chat : continued;
  }

  function linesFor(call: UpstreamCall): HeaderLines | undefined {
    const lines = headers[call.credential];
    return lines && tracedLines(spec, affinity(lines, call), call.trace);
  }

  async function open(given: UpstreamCall, signal: AbortSignal): Promise<EventFlow> {
    const call = limitStops(given, keeps.stopMax);
    const service = serviceFor(call);
    const lines = linesFor(call);
    if (!lines) throw new RangeError(`upstream ${name} has no credential ${call.credential}`);
    const request = requestText('POST', service.address, lines, service.encode(call));
    const { sent, refused } = call;
    return openAnswer(service.pool, request, { ...service.answers(call), sent, refused }, signal);
  }

  async function pass(
    call: PassThroughUpstreamCall,
    signal: AbortSignal,
  ): Promise<PassThroughAnswer | PassThroughStream> {
    const { path, contentType } = call.request;
    const baseLines = requestHeaders(credentials, spec.headers, { contentType, accept: '*/*' })[call.credential];
    if (!baseLines) throw new RangeError(`upstream ${name} has no credential ${call.credential}`);
    const lines = tracedLines(spec, baseLines, call.trace);
    const address = providerAddress(spec.baseUrl, path);
    const pool = link.poolAt(address.origin);
    const streams = (kind: string) => call.request.streams(kind);
    const send = (body: string | Buffer) => {
      const request =
        typeof body === 'string' ? requestText('POST', address, lines, body) : requestBytes(address, lines, body);
      return callPassThrough(
        pool,
        request,
        { ...link.answers, sent: call.sent, refused: call.refused, streams },
        signal,
      );
    };
    const split = call.request.split?.(call.inputsMax ?? quirks.embeddingsMax ?? Number.POSITIVE_INFINITY);
    return split ? sendInSequence(split, call.model, send) : send(call.request.encode(call.model));
  }

  /** The parts that a provider repeats in every frame are learned once for all answers of a model. */
  const memories = new LRUCache<string, SpliceMemory>({ max: memoriesMax });

  function memoryOf(model: string): SpliceMemory {
    const memory = memories.get(model) ?? new SpliceMemory();
    memories.set(model, memory);
    return memory;
  }

  const attributedToUpstream = (error: unknown) => attributed(error, name, link.answers.redact);

  function ready(call: UpstreamCall): ReadyCall | undefined {
    const lines = linesFor(call);
    if (call.request.wire.format !== 'chat-completions' || quirks.responses === 'only' || !lines) return undefined;
    // Released once it is sent: the answer may take long, and the prompt may be large.
    let request = requestText('POST', chat.address, lines, chat.encode(call));
    const decoding = decodingOf(call);
    return {
      timeouts: spec.timeouts,
      send(handler) {
        const sent = chat.pool.send(request, handler);
        request = '';
        return sent;
      },
      splice: (encoding, maxTokens) => new ChatSplice({ memory: memoryOf(call.model), decoding, encoding, maxTokens }),
      adopt: (sent, { signal, sentMs }) => adoptAnswer(sent, { ...chat.answers(call), sentMs }, signal),
      attributed: attributedToUpstream,
    };
  }

  return {
    name,
    credentials: headers.length,
    keeps,
    reportsSent: true,
    open,
    pass,
    ready,
    close: () => link.close(),
  };
}

/** Returns notes for the request record on fields that were not forwarded. */
function notesOf({ request, untranslatable }: UpstreamCall): readonly string[] {
  if (!isOfOtherFormat(request)) return pricedNotes(request.priceOptions?.fields);
  return translate(request, { untranslatable, temperatureMax: chatTemperatureMax, hasLogprobs: true }).notes;
}

type AddsLines = (lines: HeaderLines, call: Pick<UpstreamCall, 'conversation'>) => HeaderLines;

/**
 * Adds the header that lets a provider route the turns of a conversation to the same prompt cache. A header of that
 * name in the file wins.
 */
function affinityLines({ quirks, headers }: Pick<ResolvedUpstream, 'quirks' | 'headers'>): AddsLines {
  const name = quirks.cacheAffinity;
  const isConfigured = Object.keys(headers).some((each) => each.toLowerCase() === name);
  if (name === 'none' || name === 'prompt_cache_key' || isConfigured) return (lines) => lines;
  return (lines, { conversation }) => {
    const value = conversation?.();
    return value === undefined ? lines : ((lines + headerLines({ [name]: value })) as HeaderLines);
  };
}
