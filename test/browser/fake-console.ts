import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { englishOf, type FieldProblem, type Reason } from 'chat-formats/reasons/reason.ts';
import type { Endpoint } from '../../src/manage/admin/api/endpoint.ts';
import { expectDocumented } from './documented.ts';

/** The built dashboard with scripted replies, for states that are hard to produce with a real gateway. */
export interface FakeConsole {
  readonly url: string;
  /** The requests in order. */
  readonly calls: readonly ConsoleCall[];
  close(): Promise<void>;
}

export interface ConsoleCall {
  readonly line: string;
  readonly body: unknown;
  readonly idempotencyKey: string | undefined;
  /** The organisation that the page named. */
  readonly organisation: string | undefined;
}

/** By `METHOD path`: the body of a 200, a refusal, or a sequence of them, of which the last one repeats. */
export type Replies = Readonly<Record<string, unknown>>;

export const signedIn = {
  user: {
    id: 'usr_1',
    email: 'ada@example.com',
    name: 'Ada Lovelace',
    two_factor: false,
    has_password: true,
    language: 'en',
    is_verified: true,
  },
  operator: 'owner',
  accounts: [
    { id: 'acc_1', name: 'Acme', role: 'owner' },
    { id: 'acc_2', name: 'Globex', role: 'member' },
  ],
  organisations: [] as readonly { id: string; name: string; role: 'owner' | 'viewer' }[],
  site: { name: 'default', title: 'Chat Gateway', sign_up: false },
  oidc: null,
  support_email: 'help@example.com',
  currency: 'USD',
  messages_prefix: '/anthropic',
  version: '0.1.0',
  is_mail_on: true,
};

/** The settings of stored bodies, which every page with keys requests. */
const stored = { allowed: true, keep_seconds: 604_800, max_bytes: 262_144, requests: 3, bytes: 40_000 };
const storing = { 'GET /account/v1/stored-bodies': stored, 'GET /admin/v1/stored-bodies': stored };

export const visitor = { ...signedIn, user: null, operator: undefined, accounts: undefined, needs_setup: false };

/** `why` is a reason as the gateway sends it, or only a message, as other servers do. */
export function refusal(
  status: number,
  why: Reason | string,
  code = 'forbidden',
  problems: readonly FieldProblem[] = [],
) {
  const details =
    typeof why === 'string'
      ? { message: why }
      : { message: englishOf(why), reason: why.code, params: why.params, ...(problems.length > 0 && { problems }) };
  return { [refused]: status, error: { code, type: 'gateway_error', ...details } };
}

/** Returns the replies one after the other, and then repeats the last one. */
export function sequence(...answers: readonly unknown[]) {
  const left = [...answers];
  return { [next]: () => (left.length > 1 ? left.shift() : left[0]), [every]: answers };
}

/** A reply that changes when the test calls `change()`, or when the page sends a request with a reply of `by`. */
export function changing(before: unknown, after: unknown) {
  let isChanged = false;
  const change = (): void => void (isChanged = true);
  const by = (reply: unknown) => ({ [next]: () => (change(), reply), [every]: [reply] });
  return { answer: { [next]: () => (isChanged ? after : before), [every]: [before, after] }, change, by };
}

/** A reply that the endpoint calculates from the query alone. */
export function calculated(endpoint: Endpoint) {
  const none = {} as never;
  const reply = async (query: URLSearchParams): Promise<unknown> => {
    const { work } = endpoint.prepare({ id: '', query, body: undefined, address: { host: '', url: '' } });
    return (await work(none, none)).reply;
  };
  return { [next]: reply, [every]: [] };
}

/** All successes among the possible replies. */
function answersOf(reply: unknown): readonly unknown[] {
  const { [every]: answers = [reply] } = reply as { readonly [every]?: readonly unknown[] };
  return answers.filter((answer) => !Object.hasOwn(answer as object, refused));
}

interface ChangingReply {
  readonly [next]?: (query: URLSearchParams) => unknown;
}

const next = Symbol('next');
const every = Symbol('every');
const refused = Symbol('status');
const built = join(import.meta.dirname, '../../packages/dashboard/dist');
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

export async function fakeConsole(replies: Replies = {}): Promise<FakeConsole> {
  const calls: ConsoleCall[] = [];
  const all: Replies = { 'GET /auth/session': signedIn, ...storing, ...replies };
  for (const [line, reply] of Object.entries(all)) {
    for (const each of answersOf(reply)) expectDocumented(line, each);
  }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const line = `${request.method} ${pathname}`;
    if (pathname === '/' || pathname.startsWith('/app')) {
      response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy });
      return response.end(await readFile(join(built, 'index.html')));
    }
    if (pathname.startsWith('/assets/') || pathname === '/favicon.svg') {
      const type = contentTypes[extname(pathname)] ?? 'application/octet-stream';
      response.writeHead(200, { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' });
      return response.end(await readFile(join(built, pathname)));
    }
    const body = await sent(request);
    const named = (header: string) => request.headers[header] as string | undefined;
    calls.push({ line, body, idempotencyKey: named('idempotency-key'), organisation: named('x-organisation') });
    const known = (all[line] ?? refusal(404, `There is no ${line} here.`, 'not_found')) as ChangingReply;
    const reply = ((await known[next]?.(searchParams)) ?? known) as { [refused]?: number };
    response.writeHead(reply[refused] ?? 200, { 'content-type': 'application/json', 'x-gateway-request-id': 'req_1' });
    return response.end(JSON.stringify(reply));
  };
  const endpoint = idle.pop() ?? (await newEndpoint());
  endpoint.answer = (request, response) => void answer(request, response);
  endpoint.server.ref();
  return {
    url: endpoint.url,
    calls,
    close: async () => {
      endpoint.answer = hangUp;
      endpoint.server.closeAllConnections();
      endpoint.server.unref();
      idle.push(endpoint);
    },
  };
}

/** An address that consoles use one after the other. */
interface FakeEndpoint {
  readonly url: string;
  readonly server: Server;
  answer: (request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * Addresses without a console. The browser has cached the dashboard for each of them. At a new address it would have to
 * load and compile everything again.
 */
const idle: FakeEndpoint[] = [];

const hangUp: FakeEndpoint['answer'] = (request) => void request.socket.destroy();

async function newEndpoint(): Promise<FakeEndpoint> {
  const server = createServer((request, response) => endpoint.answer(request, response));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const endpoint: FakeEndpoint = { url: `http://127.0.0.1:${port}`, server, answer: hangUp };
  return endpoint;
}

async function sent(request: IncomingMessage): Promise<unknown> {
  const text = (await request.toArray()).join('');
  return text === '' ? undefined : JSON.parse(text);
}
