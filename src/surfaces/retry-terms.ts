import type { Exchange } from '../http/exchange.ts';

/** What a request says about being sent more than once. */
export interface RetryTerms {
  /** The client's own name for the request: whatever carries it again means the same one. */
  readonly idempotencyKey: string | undefined;
  /** Whether it was sent before, as SDKs that retry by themselves count. */
  readonly isRetry: boolean;
}

/** Nothing for the client that says nothing: its requests are never compared with others, nor kept. */
export function retryTerms(exchange: Pick<Exchange, 'header'>): RetryTerms | undefined {
  const key = exchange.header('idempotency-key') || undefined;
  const count = exchange.header('x-stainless-retry-count');
  if (key === undefined && !/^\d{1,4}$/.test(count ?? '')) return undefined;
  return { idempotencyKey: key, isRetry: Number(count ?? 0) > 0 };
}
