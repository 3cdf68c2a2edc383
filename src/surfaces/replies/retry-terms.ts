import type { Exchange } from '../../http/exchange.ts';

/** The retry headers of a request. */
export interface RetryTerms {
  /** The client's key for the request. Another request with the same key is a retry. */
  readonly idempotencyKey: string | undefined;
  /** Whether the retry count of the SDK is above 0. */
  readonly isRetry: boolean;
}

/** Undefined without retry headers; then the request is neither compared with others nor kept. */
export function retryTerms(exchange: Pick<Exchange, 'header'>): RetryTerms | undefined {
  const key = exchange.header('idempotency-key') || undefined;
  const count = exchange.header('x-stainless-retry-count');
  if (key === undefined && !/^\d{1,4}$/.test(count ?? '')) return undefined;
  return { idempotencyKey: key, isRetry: Number(count ?? 0) > 0 };
}
