import type { LookupFunction } from 'node:net';
import type { Clock } from '../core/clock.ts';
import type { EventFlow } from '../core/event-flow.ts';
import { askedMarkup, type MarkupSettings } from '../dialects/chat-completions/asked-markup.ts';
import { decodeChatBody } from '../dialects/chat-completions/decode-body.ts';
import { chatStreamDecoder } from '../dialects/chat-completions/decode-stream.ts';
import { encodeChatRequest } from '../dialects/chat-completions/encode-request.ts';
import { decodeCompletionBody } from '../dialects/completions/decode-body.ts';
import { completionStreamDecoder } from '../dialects/completions/decode-stream.ts';
import { encodeCompletionRequest } from '../dialects/completions/encode-request.ts';
import { type AnswerParts, openAnswer } from './answer.ts';
import { type Endpoint, endpoint } from './endpoint.ts';
import { egressGuard } from './http1/egress-guard.ts';
import { type HttpPool, httpPool } from './http1/pool.ts';
import { requestText } from './http1/request-text.ts';
import { redactor } from './redaction.ts';
import { requestHeaders } from './request-headers.ts';
import type { ResolvedUpstream } from './resolve-upstream.ts';
import type { Upstream, UpstreamCall } from './upstream.ts';

/** One of a provider's endpoints and the wire format it speaks. */
interface Service {
  readonly address: Endpoint;
  readonly pool: HttpPool;
  answers(call: UpstreamCall): AnswerParts;
  encode(call: UpstreamCall): string;
}

/** A provider that speaks the chat-completions format over HTTP. */
export function openAiCompatible(
  spec: ResolvedUpstream,
  deps: { readonly clock: Clock; readonly newId: () => string; readonly lookup?: LookupFunction },
): Upstream {
  const { clock, newId, lookup } = deps;
  const { name, timeouts, quirks } = spec;
  const nextHeaders = requestHeaders(spec.apiKeys, spec.headers);
  const redact = redactor([...spec.apiKeys, ...Object.values(spec.headers)]);
  const common = { upstream: name, clock, timeouts, redact };
  const guard = spec.egressAllow && egressGuard(spec.egressAllow);
  const pools = new Map<string, HttpPool>();

  function poolAt(origin: URL): HttpPool {
    const pool =
      pools.get(origin.href) ?? httpPool({ origin, clock, connectTimeoutMs: timeouts.connect, guard, lookup });
    pools.set(origin.href, pool);
    return pool;
  }

  function chatService(): Service {
    const address = endpoint(spec.baseUrl, '/chat/completions');
    return {
      address,
      pool: poolAt(address.origin),
      answers: (call) => {
        const decoding = { newId, asked: askedMarkup(call.request, markupSettings(call)) };
        return {
          ...common,
          streamDecoder: () => chatStreamDecoder(decoding),
          decodeBody: (text) => decodeChatBody(text, decoding),
        };
      },
      encode: ({ model, thinking, request }) =>
        encodeChatRequest(request, { model, maxTokens: request.maxTokens, thinkingCapable: thinking, quirks }),
    };
  }

  function completionsService(): Service {
    const completionAnswers = {
      ...common,
      streamDecoder: () => completionStreamDecoder(),
      decodeBody: decodeCompletionBody,
    };
    const address = endpoint(quirks.completionsUrl ?? spec.baseUrl, '/completions');
    return {
      address,
      pool: poolAt(address.origin),
      answers: () => completionAnswers,
      encode: ({ model, request }) => encodeCompletionRequest(request, { model, maxTokens: request.maxTokens, quirks }),
    };
  }

  const chat = chatService();
  /** Without one of its own, a prompt goes to the chat endpoint as a message. */
  const completions = quirks.completions ? completionsService() : chat;

  async function open(call: UpstreamCall, signal: AbortSignal): Promise<EventFlow> {
    const service = call.request.wire.format === 'completions' ? completions : chat;
    const request = requestText('POST', service.address, nextHeaders(), service.encode(call));
    return openAnswer(service.pool, request, service.answers(call), signal);
  }

  return {
    name,
    open,
    close: () => {
      for (const pool of pools.values()) pool.close();
    },
  };
}

function markupSettings({
  model,
  thinking,
  toolFormat,
  thinksFirst,
  repairArguments = false,
}: UpstreamCall): MarkupSettings {
  return { model, thinking, toolFormat, thinksFirst, repairArguments };
}
