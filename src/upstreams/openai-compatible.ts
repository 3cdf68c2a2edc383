import type { LookupFunction } from 'node:net';
import type { Clock } from '../core/clock.ts';
import type { EventFlow } from '../core/event-flow.ts';
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
  readonly answers: AnswerParts;
  encode(call: UpstreamCall): string;
}

/** A provider that speaks the chat-completions format over HTTP. */
export function openAiCompatible(
  spec: ResolvedUpstream,
  deps: { readonly clock: Clock; readonly newId: () => string; readonly lookup?: LookupFunction },
): Upstream {
  const { clock, newId, lookup } = deps;
  const { name, timeouts, quirks } = spec;
  const headers = requestHeaders(spec.apiKeys, spec.headers);
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

  function chatService(baseUrl: string): Service {
    const address = endpoint(baseUrl, '/chat/completions');
    return {
      address,
      pool: poolAt(address.origin),
      answers: {
        ...common,
        streamDecoder: () => chatStreamDecoder({ newId }),
        decodeBody: (text) => decodeChatBody(text, { newId }),
      },
      encode: ({ model, thinking, request, prefill }) =>
        encodeChatRequest(request, { model, maxTokens: request.maxTokens, thinkingCapable: thinking, quirks, prefill }),
    };
  }

  function completionsService(): Service {
    const address = endpoint(quirks.completionsUrl ?? spec.baseUrl, '/completions');
    return {
      address,
      pool: poolAt(address.origin),
      answers: { ...common, streamDecoder: () => completionStreamDecoder(), decodeBody: decodeCompletionBody },
      encode: ({ model, request, prefill }) =>
        encodeCompletionRequest(request, { model, maxTokens: request.maxTokens, quirks, prefill }),
    };
  }

  const chat = chatService(spec.baseUrl);
  const continued = quirks.prefixUrl === undefined ? chat : chatService(quirks.prefixUrl);
  /** Without one of its own, a prompt goes to the chat endpoint as a message. */
  const completions = quirks.completions ? completionsService() : chat;

  function serviceFor({ request, prefill }: UpstreamCall): Service {
    if (request.wire.format === 'completions' && completions !== chat) return completions;
    return prefill === undefined ? chat : continued;
  }

  async function open(call: UpstreamCall, signal: AbortSignal): Promise<EventFlow> {
    const service = serviceFor(call);
    const lines = headers[call.credential];
    if (!lines) throw new RangeError(`upstream ${name} has no credential ${call.credential}`);
    const request = requestText('POST', service.address, lines, service.encode(call));
    return openAnswer(service.pool, request, service.answers, signal);
  }

  return {
    name,
    credentials: headers.length,
    open,
    close: () => {
      for (const pool of pools.values()) pool.close();
    },
  };
}
