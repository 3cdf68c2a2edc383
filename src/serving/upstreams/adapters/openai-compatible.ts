import { LRUCache } from 'lru-cache';
import { requestedLifetime } from 'chat-formats/cache-lifetime.ts';
import { isOfOtherFormat } from 'chat-formats/chat/chat-request.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import type { ProviderConstraints } from 'chat-formats/chat/guarantee.ts';
import type { PassThroughAnswer, PassThroughStream } from '../../../core/pass-through-call.ts';
import {
  type ChatDecoding,
  chatStreamDecoder,
  decodeChatBody,
} from 'chat-formats/chat-completions/answer/decode-stream.ts';
import { chatTemperatureMax, encodeChatRequest } from 'chat-formats/chat-completions/request/encode-request.ts';
import type { ResolvedQuirks } from 'chat-formats/chat-completions/quirks.ts';
import { refusedFields } from 'chat-formats/chat-completions/request/fit-fields.ts';
import { shortNames } from 'chat-formats/chat-completions/request/short-names.ts';
import { ChatSplice } from '../splice/splice.ts';
import { SpliceMemory } from '../splice/splice-memory.ts';
import { completionStreamDecoder, decodeCompletionBody } from 'chat-formats/completions/decode-stream.ts';
import { encodeCompletionRequest } from 'chat-formats/chat-completions/request/encode-completion-request.ts';
import { eventDataDecoder, withStep } from 'chat-formats/event-stream-decoder.ts';
import { pricedNotes } from 'chat-formats/priced-fields.ts';
import { translate } from 'chat-formats/translate.ts';
import { adoptAnswer, openAnswer } from '../answer/answer.ts';
import { attributed } from '../answer/attribution.ts';
import { callPassThrough, sendInSequence } from './pass-through-call.ts';
import { type LinkDeps, providerAddress, type ProviderLink, providerLink, signedLines } from '../provider-link.ts';
import { type HeaderLines, headerLines, requestBytes, requestText } from '../http1/request-text.ts';
import { markupOfCall, type Service } from './service.ts';
import { keyHeaders, requestHeaders, tracedLines } from './request-headers.ts';
import { responsesService } from './responses-service.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';
import { limitStops } from '../limit-stops.ts';
import type { PassThroughUpstreamCall, ReadyCall, Upstream, UpstreamCall } from '../upstream.ts';

/** More models than one provider serves at a time. */
const memoriesMax = 256;

export class OpenAiCompatible implements Upstream {
  readonly name: string;
  readonly credentials: number;
  readonly keeps: ProviderConstraints;
  readonly reportsSent = true;
  readonly #spec: ResolvedUpstream;
  readonly #newId: () => string;
  readonly #link: ProviderLink;
  readonly #authorizations: readonly Readonly<Record<string, string>>[];
  readonly #headers: readonly HeaderLines[];
  readonly #affinity: AddsLines;
  readonly #chat: Service;
  readonly #continued: Service;
  /** If the provider has no completions endpoint, a prompt is sent to the chat endpoint as a message. */
  readonly #completions: Service;
  readonly #responses: Service | undefined;
  /** The parts that a provider repeats in every frame are learned once for all answers of a model. */
  readonly #memories = new LRUCache<string, SpliceMemory>({ max: memoriesMax });
  readonly #attributed = (error: unknown) => attributed(error, this.name, this.#link.answers.redact);

  constructor(spec: ResolvedUpstream, deps: LinkDeps, link = providerLink(spec, deps)) {
    const { newId } = deps;
    const { name, quirks } = spec;
    this.name = name;
    // The responses format has no stop sequences.
    this.keeps = quirks.responses === 'only' ? { ...quirks, stopMax: 0 } : quirks;
    this.#spec = spec;
    this.#newId = newId;
    this.#link = link;
    this.#authorizations = spec.apiKeys.map((key) => keyHeaders(spec, key));
    this.#headers = requestHeaders(this.#authorizations, spec.headers);
    this.credentials = this.#headers.length;
    this.#affinity = affinityLines(spec);
    this.#chat = chatService(spec, link, newId);
    const { prefixUrl } = quirks;
    this.#continued = prefixUrl === undefined ? this.#chat : chatService({ ...spec, baseUrl: prefixUrl }, link, newId);
    this.#completions = quirks.completions ? completionsService(spec, link) : this.#chat;
    this.#responses = quirks.responses === false ? undefined : responsesService(spec, link, newId);
  }

  async open(given: UpstreamCall, signal: AbortSignal): Promise<EventFlow> {
    const call = limitStops(given, this.keeps.stopMax);
    const service = this.#serviceFor(call);
    const lines = this.#linesFor(call);
    if (!lines) throw new RangeError(`upstream ${this.name} has no credential ${call.credential}`);
    await this.#link.signer?.prepare(signal);
    const body = service.encode(call);
    const signed = signedLines(this.#link, lines, service.address, body);
    const request = requestText('POST', service.address, signed, body);
    const { sent, refused } = call;
    return openAnswer(service.pool, request, { ...service.answers(call), sent, refused }, signal);
  }

  async pass(call: PassThroughUpstreamCall, signal: AbortSignal): Promise<PassThroughAnswer | PassThroughStream> {
    const spec = this.#spec;
    const link = this.#link;
    const { path, contentType } = call.request;
    const all = requestHeaders(this.#authorizations, spec.headers, { contentType, accept: '*/*' });
    const baseLines = all[call.credential];
    if (!baseLines) throw new RangeError(`upstream ${this.name} has no credential ${call.credential}`);
    const lines = tracedLines(spec, baseLines, call.trace);
    const address = providerAddress(spec.baseUrl, path);
    const pool = link.pools.at(address.origin);
    const streams = (kind: string) => call.request.streams(kind);
    await link.signer?.prepare(signal);
    const send = (body: string | Buffer) => {
      const signed = signedLines(link, lines, address, body);
      const request =
        typeof body === 'string' ? requestText('POST', address, signed, body) : requestBytes(address, signed, body);
      return callPassThrough(
        pool,
        request,
        { ...link.answers, sent: call.sent, refused: call.refused, streams },
        signal,
      );
    };
    const split = call.request.split?.(call.inputsMax ?? spec.quirks.embeddingsMax ?? Number.POSITIVE_INFINITY);
    return split ? sendInSequence(split, call.model, send) : send(call.request.encode(call.model));
  }

  ready(call: UpstreamCall): ReadyCall | undefined {
    const { quirks, timeouts } = this.#spec;
    const lines = this.#linesFor(call);
    if (call.request.wire.format !== 'chat-completions' || quirks.responses === 'only' || !lines) return undefined;
    const chat = this.#chat;
    const { signer } = this.#link;
    if (signer?.isReady === false) return undefined;
    const body = chat.encode(call);
    // Released once it is sent: the answer may take long, and the prompt may be large.
    let request = requestText('POST', chat.address, signedLines(this.#link, lines, chat.address, body), body);
    const decoding = decodingOf(call, this.#newId, quirks);
    return {
      timeouts,
      send(handler) {
        const sent = chat.pool.send(request, handler);
        request = '';
        return sent;
      },
      splice: (encoding, maxTokens) =>
        new ChatSplice({ memory: this.#memoryOf(call.model), decoding, encoding, maxTokens }),
      adopt: (sent, { signal, sentMs }) => adoptAnswer(sent, { ...chat.answers(call), sentMs }, signal),
      attributed: this.#attributed,
    };
  }

  close(): void {
    this.#link.pools.close();
  }

  #serviceFor({ request, prefill }: UpstreamCall): Service {
    const { format } = request.wire;
    const isOnly = this.#spec.quirks.responses === 'only';
    if (this.#responses && (isOnly || (format === 'responses' && prefill === undefined))) return this.#responses;
    if (format === 'completions' && this.#completions !== this.#chat) return this.#completions;
    return prefill === undefined ? this.#chat : this.#continued;
  }

  #linesFor(call: UpstreamCall): HeaderLines | undefined {
    const lines = this.#headers[call.credential];
    return lines && tracedLines(this.#spec, this.#affinity(lines, call), call.trace);
  }

  #memoryOf(model: string): SpliceMemory {
    const memory = this.#memories.get(model) ?? new SpliceMemory();
    this.#memories.set(model, memory);
    return memory;
  }
}

function chatService({ baseUrl, quirks }: ResolvedUpstream, link: ProviderLink, newId: () => string): Service {
  const address = providerAddress(baseUrl, '/chat/completions');
  return {
    address,
    pool: link.pools.at(address.origin),
    answers: (call) => {
      const names = shortNames(call.request);
      const decoding = decodingOf({ ...call, request: names.request }, newId, quirks);
      return {
        ...link.answers,
        notes: [...notesOf(call), ...fittingNotes(call, quirks)],
        streamDecoder: () => withStep(eventDataDecoder(chatStreamDecoder(decoding)), names.long),
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

function completionsService({ baseUrl, quirks }: ResolvedUpstream, link: ProviderLink): Service {
  const address = providerAddress(quirks.completionsUrl ?? baseUrl, '/completions');
  return {
    address,
    pool: link.pools.at(address.origin),
    answers: (call) => ({
      ...link.answers,
      notes: notesOf(call),
      streamDecoder: () => eventDataDecoder(completionStreamDecoder()),
      decodeBody: decodeCompletionBody,
    }),
    encode: ({ model, request, prefill }) =>
      encodeCompletionRequest(request, { model, maxTokens: request.maxTokens, quirks, prefill }),
  };
}

function decodingOf(call: UpstreamCall, newId: () => string, { usageTotal }: ResolvedQuirks): ChatDecoding {
  const keepsFields = call.request.wire.format === 'chat-completions';
  const { wire } = call.request;
  const unsplit = () => requestedLifetime(wire, 'chat-completions');
  return { newId, markup: markupOfCall(call), keepsFields, answeredAs: call.trace?.answeredAs, usageTotal, unsplit };
}

function notesOf({ request, untranslatable }: UpstreamCall): readonly string[] {
  if (!isOfOtherFormat(request)) return pricedNotes(request.priceOptions?.fields);
  return translate(request, { untranslatable, temperatureMax: chatTemperatureMax, hasLogprobs: true }).notes;
}

/** What a client of the same format sent, and this provider would refuse. */
function fittingNotes({ request: { wire } }: UpstreamCall, quirks: ResolvedQuirks): readonly string[] {
  const names = wire.format === 'chat-completions' ? refusedFields(Object.entries(wire.body), quirks) : [];
  return names.length > 0 ? [`left out for a provider that refuses them: ${names.slice(0, notedMax).join(', ')}`] : [];
}

/** At most this many fields are named in the record. */
const notedMax = 16;

type AddsLines = (lines: HeaderLines, call: Pick<UpstreamCall, 'conversation'>) => HeaderLines;

/** The header that routes a conversation to the same prompt cache. A header of that name in the file wins. */
function affinityLines({ quirks, headers }: Pick<ResolvedUpstream, 'quirks' | 'headers'>): AddsLines {
  const name = quirks.cacheAffinity;
  const isConfigured = Object.keys(headers).some((each) => each.toLowerCase() === name);
  if (name === 'none' || name === 'prompt_cache_key' || isConfigured) return (lines) => lines;
  return (lines, { conversation }) => {
    const value = conversation?.();
    return value === undefined ? lines : ((lines + headerLines({ [name]: value })) as HeaderLines);
  };
}
