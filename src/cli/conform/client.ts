import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { turns } from './turns.ts';

const answerBytesMax = 8 * 1024 * 1024;

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
  readonly send: (ask: ConformRequest) => Promise<ReceivedReply>;
  /** Every response of the run so far, for checks over all of them. */
  readonly journal: readonly ReceivedReply[];
}

/** No complete response arrived: the connection failed, or the response was truncated, too long or too slow. */
export class NoAnswer extends Error {
  constructor(ask: ConformRequest, reason: string) {
    super(`${ask.method} ${pathOf(ask)}: ${reason}`);
    this.name = 'NoAnswer';
  }
}

export interface ClientOptions {
  readonly root: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly concurrency: number;
}

export function client(options: ClientOptions): ConformClient {
  const journal: ReceivedReply[] = [];
  const inTurn = turns(options.concurrency);
  return {
    journal,
    send: (ask) =>
      inTurn(async () => {
        const answer = await exchange(ask, options);
        journal.push(answer);
        return answer;
      }),
  };
}

async function exchange(ask: ConformRequest, options: ClientOptions): Promise<ReceivedReply> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const url = new URL(options.root + ask.path);
  const body = bodyOf(ask);
  const request = (url.protocol === 'https:' ? https : http).request(url, {
    method: ask.method,
    headers: ask.headers ?? defaultHeaders(ask, options.key),
    agent: false,
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    request.destroy();
    reject(new Error('late'));
  }, options.timeoutMs);
  request.on('response', resolve).on('error', reject).end(body);
  try {
    const response = await promise;
    const text = await textOf(response);
    return {
      method: ask.method,
      path: pathOf(ask),
      sent: body,
      status: response.statusCode ?? 0,
      headers: response.headers,
      mediaType: (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
      text,
    };
  } catch (error) {
    if (late) throw new NoAnswer(ask, `no complete answer within ${options.timeoutMs / 1000} s`);
    throw new NoAnswer(ask, error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
    request.destroy();
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > answerBytesMax) throw new Error(`the answer is longer than ${answerBytesMax} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function pathOf(ask: ConformRequest): string {
  return ask.path.replace(/\?.*$/, '');
}

function bodyOf(ask: ConformRequest): string {
  if (ask.body === undefined) return '';
  return typeof ask.body === 'string' ? ask.body : JSON.stringify(ask.body);
}

function defaultHeaders(ask: ConformRequest, key: string): Record<string, string> {
  const authorization = { authorization: `Bearer ${key}` };
  return ask.body === undefined ? authorization : { ...authorization, 'content-type': 'application/json' };
}
