import { afterEach, beforeEach, describe, expect } from 'vitest';
import { type Clock, systemClock } from '../../../src/core/time/clock.ts';
import type { Exchange } from '../../../src/serving/http/exchange.ts';
import { HttpFault, type HttpFaultKind } from '../../../src/serving/http/fault.ts';
import { defaultHttpLimits, type HttpLimits } from '../../../src/serving/http/limits.ts';
import type { Pressure } from '../../../src/serving/http/load/pressure.ts';
import type { Route } from '../../../src/serving/http/route.ts';
import { HttpServer } from '../../../src/serving/http/server.ts';
import type { ExchangeSummary } from '../../../src/serving/http/server-options.ts';
import type { RawResponse } from '../../raw-client.ts';

/** An HTTP server with a few routes, and the exchanges it observed. */
export interface TestHttpServer {
  readonly port: number;
  readonly server: HttpServer;
  readonly seen: ExchangeSummary[];
  /** Resolves with the next summary of an ended exchange that no earlier call returned. */
  readonly next: () => Promise<ExchangeSummary>;
}

const started: HttpServer[] = [];

/** If false, all requests go through Node's server. */
let isAcceptorOpen = true;

/** Runs the tests with the acceptor and with Node's server alone. The replies must not differ. */
export function withAndWithoutAcceptor(define: () => void): void {
  describe.each([
    ['by the acceptor', true],
    ['by Node’s server', false],
  ])('served %s', (_name, isOpen) => {
    beforeEach(() => {
      isAcceptorOpen = isOpen;
    });
    afterEach(() => {
      isAcceptorOpen = true;
    });
    define();
  });
}

afterEach(() => {
  for (const server of started.splice(0)) server.destroy();
});

export async function startHttpServer(
  options: {
    routes?: readonly Route[];
    limits?: Partial<HttpLimits>;
    pressure?: Pressure;
    onFull?: () => void;
    isTrustedProxy?: (address: string) => boolean;
    /** Whether the acceptor serves simple requests. The default is set by `withAndWithoutAcceptor`. */
    hasAcceptor?: boolean;
    /** Overrides parts of the system's clock. */
    clock?: Partial<Clock>;
  } = {},
): Promise<TestHttpServer> {
  const hasAcceptor = options.hasAcceptor ?? isAcceptorOpen;
  const seen: ExchangeSummary[] = [];
  let returned = 0;
  let idsIssued = 0;
  let wake = (): void => {};
  const server = new HttpServer({
    routes: [...usualRoutes, ...(options.routes ?? [])].map((route) => ({
      ...route,
      takesSimpleRequests: hasAcceptor && mayBeSimple(route),
    })),
    limits: { ...defaultHttpLimits, ...options.limits },
    stamp: () => '20260102-030405',
    newId: () => {
      idsIssued += 1;
      return `request-${String(idsIssued).padStart(9, '0')}`;
    },
    ...(options.onFull && { onFull: options.onFull }),
    explain,
    observe: (done) => {
      seen.push(done);
      wake();
    },
    clock: { ...systemClock, ...options.clock },
    ...(options.pressure && { pressure: options.pressure }),
    ...(options.isTrustedProxy && { isTrustedProxy: options.isTrustedProxy }),
  });
  started.push(server);
  const { port } = await server.listen('127.0.0.1', 0);
  const next = async (): Promise<ExchangeSummary> => {
    returned += 1;
    while (seen.length < returned) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return seen[returned - 1]!;
  };
  return { port, server, seen, next };
}

function mayBeSimple({ method, path }: Route): boolean {
  return method === 'POST' && !/[:*]/.test(path);
}

const usualRoutes: readonly Route[] = [
  { method: 'GET', path: '/v1/models', handle: (exchange) => exchange.json(200, { host: exchange.host }) },
  { method: 'POST', path: '/echo', handle: async (exchange) => exchange.json(200, await exchange.readJson()) },
  { method: 'POST', path: '/locked', handle: (exchange) => exchange.fail(new Refusal(401)) },
  {
    method: 'POST',
    path: '/stream',
    handle: async (exchange) => {
      await exchange.readJson();
      const writer = exchange.openEventStream();
      writer.write('data: {"text":"早"}\n\n');
      writer.end('data: [DONE]\n\n');
    },
  },
];

/** An error of a route with its status. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: readonly string[];

  constructor(status: number, headers: readonly string[] = []) {
    super('refused');
    this.status = status;
    this.headers = headers;
  }
}

const statuses: Record<HttpFaultKind, number> = {
  overloaded: 503,
  'bad-request': 400,
  'not-found': 404,
  'method-not-allowed': 405,
  'request-timeout': 408,
  'body-too-large': 413,
  'expectation-failed': 417,
  'headers-too-large': 431,
  'upgrade-refused': 426,
  'unparseable-body': 400,
  'invalid-request': 400,
};

function explain(error: unknown, about: { id: string; path: string }) {
  const isFault = error instanceof HttpFault;
  const status = isFault ? statuses[error.kind] : error instanceof Refusal ? error.status : 500;
  const headers = isFault || error instanceof Refusal ? (error.headers ?? []) : [];
  const code = isFault ? error.kind : 'other';
  const message = `${isFault ? error.message : 'failed'} (request id: ${about.id})`;
  return { status, headers, body: JSON.stringify({ error: { code, message, type: 'gateway_error' } }) };
}

/** Expects the headers that every response has, and never a 429 or rate-limit headers. */
export function expectStamped(response: RawResponse): void {
  expect(response.headers['x-gateway-version']).toBe('20260102-030405');
  expect(response.headers['x-gateway-request-id']).toMatch(/^request-\d+$/);
  expect(response.headers['access-control-allow-origin']).toBe('*');
  expect(response.headers['access-control-expose-headers']).toBe(
    'x-gateway-version, x-gateway-request-id, x-gateway-cost',
  );
  expect(response.status).not.toBe(429);
  for (const name of Object.keys(response.headers)) expect(name).not.toMatch(/retry-after|rate-?limit/);
}

/** The error code of a response, after checking its headers and envelope. */
export function envelopeCode(response: RawResponse): string {
  expectStamped(response);
  expect(response.headers['content-type']).toBe('application/json');
  const { error } = JSON.parse(response.body);
  expect(error.message).toContain(`(request id: ${response.headers['x-gateway-request-id']})`);
  return error.code;
}

export function post(path: string, body: string, headers = 'Content-Type: application/json\r\n'): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${latin1(body)}`;
}

export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
}

/** UTF-8 bytes as a one-byte string, the form in which the tests write requests. */
function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** A route that reads the body, passes its exchange to the test and never replies by itself. */
export function heldRoute(): { route: Route; taken: Promise<Exchange> } {
  const { promise, resolve } = Promise.withResolvers<Exchange>();
  const handle = async (exchange: Exchange): Promise<void> => {
    await exchange.readJson();
    resolve(exchange);
  };
  return { route: { method: 'POST', path: '/held', handle }, taken: promise };
}
