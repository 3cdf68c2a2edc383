import { exchangeText, type TextLimits, type TextResponse } from './exchange-text.ts';
import type { IdleOptions } from './idle-connections.ts';
import { httpPool } from './pool.ts';
import { headerLines, requestTarget, requestText } from './request-text.ts';

export interface FetchTextOptions
  extends Pick<IdleOptions, 'connectTimeoutMs' | 'guard' | 'lookup' | 'proxyFor' | 'ca'>,
    TextLimits {
  readonly headers: Readonly<Record<string, string>>;
}

/** Fetches one small document on a separate connection. Redirects are not followed. */
export async function fetchText(address: URL, options: FetchTextOptions): Promise<TextResponse> {
  const { clock, connectTimeoutMs, guard, lookup, proxyFor, ca } = options;
  const origin = new URL(address.origin);
  const pool = httpPool({ origin, clock, connectTimeoutMs, guard, lookup, proxyFor, ca });
  const requestAddress = { host: address.host, target: requestTarget(address) };
  try {
    return await exchangeText(
      pool,
      requestText('GET', requestAddress, headerLines(options.headers), undefined),
      options,
    );
  } finally {
    pool.close();
  }
}
