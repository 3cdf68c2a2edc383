import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';

const replyBytesMax = 8 * 1024 * 1024;

/** One request. Without `headers`, the key is sent as a bearer token. */
export interface ConformRequest {
  readonly method: string;
  readonly path: string;
  /** Replaces all default headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, other values as JSON. */
  readonly body?: unknown;
}

/** One complete response of any status. */
export interface ReceivedReply {
  readonly method: string;
  /** Without the query, which may contain the key. */
  readonly path: string;
  readonly sent: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The media type without its parameters, in lower case. */
  readonly mediaType: string;
  readonly text: string;
}

export interface ConformClient {
  readonly send: (request: ConformRequest) => Promise<ReceivedReply>;
  /** Every response of the run so far, for checks over all of them. */
  readonly replies: readonly ReceivedReply[];
}

/** No complete response arrived: the connection failed, or the response was truncated, too long or too slow. */
export class NoResponse extends Error {
  constructor(request: ConformRequest, reason: string) {
    super(`${request.method} ${pathOf(request)}: ${reason}`);
    this.name = 'NoResponse';
  }
}

export interface ClientOptions {
  readonly root: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly concurrency: number;
}

export function client(options: ClientOptions): ConformClient {
  const replies: ReceivedReply[] = [];
  const limited = limitConcurrency(options.concurrency);
  return {
    replies,
    send: (request) =>
      limited(async () => {
        const reply = await exchange(request, options);
        replies.push(reply);
        return reply;
      }),
  };
}

async function exchange(request: ConformRequest, options: ClientOptions): Promise<ReceivedReply> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const url = new URL(options.root + request.path);
  const body = bodyOf(request);
  const outgoing = (url.protocol === 'https:' ? https : http).request(url, {
    method: request.method,
    headers: request.headers ?? defaultHeaders(request, options.key),
    agent: false,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    outgoing.destroy();
    reject(new Error('late'));
  }, options.timeoutMs);
  outgoing.on('response', resolve).on('error', reject).end(body);
  try {
    const response = await promise;
    const text = await textOf(response);
    return {
      method: request.method,
      path: pathOf(request),
      sent: body,
      status: response.statusCode ?? 0,
      headers: response.headers,
      mediaType: (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
      text,
    };
  } catch (error) {
    if (isLate) throw new NoResponse(request, `no complete reply within ${options.timeoutMs / 1000} s`);
    throw new NoResponse(request, error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
    outgoing.destroy();
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > replyBytesMax) throw new Error(`the reply is longer than ${replyBytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function pathOf(request: ConformRequest): string {
  return request.path.replace(/\?.*$/, '');
}

function bodyOf(request: ConformRequest): string {
  if (request.body === undefined) return '';
  return typeof request.body === 'string' ? request.body : JSON.stringify(request.body);
}

function defaultHeaders(request: ConformRequest, key: string): Record<string, string> {
  const authorization = { authorization: `Bearer ${key}` };
  return request.body === undefined ? authorization : { ...authorization, 'content-type': 'application/json' };
}

/** Runs at most `limit` jobs at once. Further jobs wait in order of arrival. */
export function limitConcurrency(limit: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (job) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
