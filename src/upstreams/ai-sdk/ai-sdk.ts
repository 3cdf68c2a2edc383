import { serviceAccountOf } from '../../config/schema/service-account.ts';
import type { UpstreamSpec } from '../../config/schema/upstream.ts';
import type { EventFlow } from '../../core/chat/event-flow.ts';
import { assistantTurn } from '../../core/chat/message.ts';
import { type LinkDeps, networkOf } from '../provider-link.ts';
import { redactor } from '../answer/redaction.ts';
import { limitStops } from '../limit-stops.ts';
import type { Upstream, UpstreamCall } from '../upstream.ts';
import { AccessTokens } from './access-token.ts';
import { openBridgeAnswer } from './bridge-answer.ts';
import { type BridgeCall, BridgeHttp } from './bridge-http.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { encodeCall } from './call-options.ts';
import { fittedRequest } from './fitted-request.ts';
import { PartDecoder } from './part-decoder.ts';

/** A provider with its own protocol, reached through the package that implements it. */
export function aiSdkUpstream(spec: UpstreamSpec, kind: BridgeKind, deps: LinkDeps): Upstream {
  const { clock, newId } = deps;
  const { name, timeouts, quirks } = spec;
  const keeps = { ...quirks, stopMax: quirks.stopMax ?? kind.stopMax, maxTokens: quirks.maxTokens ?? kind.maxTokens };
  const account = spec.serviceAccount === undefined ? undefined : serviceAccountOf(spec.serviceAccount);
  const hide = redactor([...secretsOf(spec), ...(account ? [account.privateKey] : [])]);
  const redact = (text: string): string => hide(tokens?.current ? text.replaceAll(tokens.current, '[redacted]') : text);
  const http = new BridgeHttp({
    upstream: name,
    userAgent: new Headers(spec.headers).get('user-agent') ?? 'chat-gateway',
    clock,
    connectTimeoutMs: timeouts.connect,
    redact,
    ...networkOf(spec, deps),
  });
  const tokens = account && new AccessTokens(account, http, clock);
  const keys = spec.apiKeys ?? (spec.apiKey === undefined ? [] : [spec.apiKey]);
  const loading = kind.load(spec);
  // `open` reports a failure. This handler only prevents an unhandled rejection.
  loading.catch(() => {});

  async function open(given: UpstreamCall, signal: AbortSignal): Promise<EventFlow> {
    const call = limitStops(given, keeps.stopMax);
    const options = encodeCall(withPrefill(call), kind);
    const modelOf = await loading;
    const { sent, refused } = call;
    const network = http.call({ contentType: kind.contentType ?? 'text/event-stream', sent, refused });
    const fetch = withRewrittenBody(
      authorized(network, tokens),
      (body) => kind.rewriteBody?.(body, options.prompt) ?? body,
    );
    const model = modelOf({ model: call.model, apiKey: keys[call.credential], fetch });
    return openBridgeAnswer(
      (abortSignal) => model.doStream({ ...options, abortSignal }),
      {
        upstream: name,
        clock,
        timeouts,
        redact,
        network,
        decoder: new PartDecoder(kind, newId, fittedRequest(call, kind).notes, call.trace?.answeredAs),
      },
      signal,
    );
  }

  return { name, credentials: Math.max(1, keys.length), keeps, reportsSent: true, open, close: () => http.close() };
}

function secretsOf(spec: UpstreamSpec): readonly string[] {
  const { apiKey, apiKeys = [], accessKeyId, secretAccessKey, sessionToken, headers = {} } = spec;
  const secrets = [apiKey, ...apiKeys, accessKeyId, secretAccessKey, sessionToken, ...Object.values(headers)];
  return secrets.filter((secret) => secret !== undefined);
}

function withPrefill(call: UpstreamCall): UpstreamCall {
  const { request, prefill } = call;
  if (prefill === undefined) return call;
  return { ...call, request: { ...request, messages: [...request.messages, assistantTurn(prefill)] } };
}

/** With a service account, its token replaces the key that the package sends. */
function authorized(network: BridgeCall, tokens: AccessTokens | undefined): typeof globalThis.fetch {
  if (!tokens) return network.fetch;
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.delete('x-goog-api-key');
    headers.set('authorization', `Bearer ${await tokens.token()}`);
    return network.fetch(input, { ...init, headers });
  };
}

function withRewrittenBody(fetch: typeof globalThis.fetch, rewrite: (body: string) => string): typeof globalThis.fetch {
  return (input, init) => fetch(input, typeof init?.body === 'string' ? { ...init, body: rewrite(init.body) } : init);
}
