import { ApiError } from './api-error.ts';

export interface CallOptions {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly query?: Query;
  readonly body?: unknown;
  /** The account whose rows `/account/v1` returns, or the organisation. */
  readonly owner?: string | undefined;
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
    headers: headersOf(path, options),
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

/** The header that names the account or organisation which a path is for. */
export function ownerHeader(path: string): 'x-account' | 'x-organisation' | undefined {
  if (!path.startsWith('/account/')) return undefined;
  return /^\/account\/v1\/organisation(\/|$)/.test(path) ? 'x-organisation' : 'x-account';
}

export function ownerHeaders(path: string, owner: string | undefined): Record<string, string> {
  const header = ownerHeader(path);
  return header === undefined || owner === undefined ? {} : { [header]: owner };
}

function headersOf(path: string, { body, owner, idempotencyKey, ifMatch }: CallOptions): Record<string, string> {
  return {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...ownerHeaders(path, owner),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
  };
}
