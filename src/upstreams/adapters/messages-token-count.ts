import type { Clock } from '../../core/time/clock.ts';
import { encodeCountTokens } from '../../dialects/messages/request/encode-request.ts';
import { objectOf, parsedJson } from '../../dialects/wire-value.ts';
import type { ProviderAddress } from '../provider-address.ts';
import { exchangeText } from '../http1/exchange-text.ts';
import type { HttpPool } from '../http1/pool.ts';
import { type HeaderLines, requestText } from '../http1/request-text.ts';
import { refusal } from '../answer/refusal.ts';
import type { UpstreamCall } from '../upstream.ts';

/** After this time the gateway uses an estimate instead. */
const countTimeoutMs = 10_000;
const countBytesMax = 64 * 1024;

interface TokenCounting {
  readonly clock: Clock;
  readonly headers: HeaderLines;
  readonly signal: AbortSignal;
  readonly upstream: string;
  readonly redact: (text: string) => string;
}

/**
 * Requests the provider's own token count of a prompt. Returns `undefined` if the provider has no such endpoint or does
 * not answer in time.
 */
export async function countByProvider(
  { address, pool }: { readonly address: ProviderAddress; readonly pool: HttpPool },
  { model, request }: UpstreamCall,
  { clock, headers, signal, ...attribution }: TokenCounting,
): Promise<number | undefined> {
  const body = requestText('POST', address, headers, encodeCountTokens(request, { model }));
  const limits = { clock, timeoutMs: countTimeoutMs, bytesMax: countBytesMax, signal };
  const response = await exchangeText(pool, body, limits).catch(() => undefined);
  signal.throwIfAborted();
  if (!response) return undefined;
  const { status } = response.head;
  if (status === 400 || status === 413 || status === 422) throw refusal(attribution, status, response.text);
  return status === 200 ? countIn(response.text) : undefined;
}

function countIn(text: string): number | undefined {
  const counted = objectOf(parsedJson(text))?.['input_tokens'];
  return Number.isSafeInteger(counted) && Number(counted) >= 0 ? Number(counted) : undefined;
}
