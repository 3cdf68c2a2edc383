import { ApiError } from './api-error.ts';

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly query?: Query;
  readonly body?: unknown;
  /** The account whose rows `/account/v1` returns. */
  readonly account?: string | undefined;
  /** Makes a repeated write take effect once. */
  readonly idempotencyKey?: string;
  /** The version that the user saw. The gateway rejects the write if the resource has another version by now. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Values of a query string. Undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Calls the gateway that served this page. Throws an ApiError unless the response is a success. */
export async function call<Reply>(path: string, options: CallOptions = {}): Promise<Reply> {
  const { method = 'GET', query, body, signal } = options;
  const { response, text } = await exchange(path + searchOf(query), {
    method,
    headers: headersOf(options),
    credentials: 'same-origin',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    if (signal?.aborted && !isTooLate(signal)) throw cause;
    throw ApiError.unreachable(cause);
  });
  if (!response.ok) throw ApiError.of(response, text);
  return (text === '' ? undefined : JSON.parse(text)) as Reply;
}

/** Resolves with the complete response; rejects if the body breaks off. */
async function exchange(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  const response = await fetch(url, init);
  return { response, text: await response.text() };
}

function isTooLate({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** Whether the gateway answers at all, with any status. */
export async function isReachable(): Promise<boolean> {
  try {
    await fetch('/auth/session', { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}

/** Returns the query string with its question mark, or an empty string. */
export function searchOf(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}

function headersOf({ body, account, idempotencyKey, ifMatch }: CallOptions): Record<string, string> {
  return {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(account !== undefined && { 'x-account': account }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
  };
}
