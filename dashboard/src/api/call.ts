import { ApiError } from './api-error.ts';

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly query?: Query;
  readonly body?: unknown;
  /** Whose rows `/account/v1` is asked for. */
  readonly account?: string | undefined;
  /** Makes a repeated write happen once. */
  readonly idempotencyKey?: string;
  /** The version that was seen of what is changed: if it has another by now, the gateway refuses. */
  readonly ifMatch?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Values of a query string; what is undefined or empty is left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Asks the gateway this page came from. Anything but a success is thrown as an ApiError. */
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

/** The whole answer: one that breaks off in the middle is none. */
async function exchange(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  const response = await fetch(url, init);
  return { response, text: await response.text() };
}

function isTooLate({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError';
}

/** A query string with its question mark, or nothing. */
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
