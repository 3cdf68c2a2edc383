import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type RequestOptions,
  request as requestPlain,
} from 'node:http';
import { Agent as TlsAgent, request as requestTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { parseForeign } from 'chat-formats/json/foreign-json.ts';
import { systemClock } from '../../core/time/clock.ts';
import { certificateEnd, certificateFinding } from './certificate.ts';
import { type DoctorFinding, ok, problem, warning } from './finding.ts';

export interface FrontOptions {
  readonly url: URL;
  readonly bodyBytesMax: number;
  /** Key and model for a test whether answers are streamed. `undefined` skips the test. */
  readonly trial: { readonly key: string; readonly model: string } | undefined;
}

const timeoutMs = 20_000;
/** Between two bytes of the body that is announced and never complete. */
const byteMs = 100;
/** Minimum time from the first to the last chunk of a streamed answer: 200 ms, or a tenth of its duration. */
const streamed = { ms: 200, share: 0.1 };

/** Checks the proxy between clients and the gateway, with requests like those of a client. */
export async function frontFindings({ url, bodyBytesMax, trial }: FrontOptions): Promise<readonly DoctorFinding[]> {
  const client = new DoctorClient(url);
  try {
    const health = await client.get('/healthz');
    if (health.headers['x-gateway-version'] === undefined) return [wrongServer(url, health.status)];
    return [
      ok('front', `${url.origin} reaches the gateway.`),
      ...(await hostFindings(client, url)),
      ...(await connectionFindings(client)),
      ...(await bodyFindings(client, bodyBytesMax)),
      ...(trial ? await bufferFindings(client, trial) : [notTested]),
      ...(await endFindings(url)),
    ];
  } catch (error) {
    const says = `${url.origin} cannot be reached: ${error instanceof Error ? error.message : String(error)}.`;
    return [problem('front', says, 'Check the address, that the proxy runs, and its certificate.')];
  } finally {
    client.close();
  }
}

function wrongServer({ origin }: URL, status: number): DoctorFinding {
  const says = `${origin}/healthz returned ${status}, but not from the gateway.`;
  return problem('front', says, 'Check that the proxy forwards all paths, and to the address of the gateway.');
}

const notTested: DoctorFinding = ok(
  'front',
  'Streaming was not tested. The test needs --key and --model, and costs one answer.',
);

/** `/openapi.json` contains the address that the gateway received in the request. */
async function hostFindings(client: DoctorClient, url: URL): Promise<readonly DoctorFinding[]> {
  const { body } = await client.get('/openapi.json');
  const seen = URL.parse((parseForeign(body) as { servers?: { url?: string }[] }).servers?.[0]?.url ?? '');
  const findings: DoctorFinding[] = [];
  if (seen?.host !== url.host) {
    const says = `The gateway receives the host ${seen?.host ?? '(none)'} instead of ${url.host}, so it selects the wrong site.`;
    findings.push(problem('front', says, 'Forward the host: `proxy_set_header Host $http_host;` in nginx.'));
  }
  if (seen?.protocol !== url.protocol) {
    const says = `The gateway receives the protocol ${seen?.protocol ?? '(none)'} but clients use ${url.protocol}`;
    findings.push(warning('front', says, 'Send `X-Forwarded-Proto`, and name the proxy in `listen.trusted_proxies`.'));
  }
  return findings.length === 0 ? [ok('front', 'The host and the protocol of clients reach the gateway.')] : findings;
}

async function connectionFindings(client: DoctorClient): Promise<readonly DoctorFinding[]> {
  const { isReused } = await client.get('/healthz');
  if (isReused) return [ok('front', 'Connections are reused between requests.')];
  const says = 'Every request needs a new connection, which costs clients one to three round trips.';
  return [warning('front', says, 'Let the proxy keep client connections open (`keepalive_timeout 75s;` in nginx).')];
}

/** Announces a large body and sends a few bytes of it. The gateway rejects the missing key; a proxy may reject the size. */
async function bodyFindings(client: DoctorClient, bodyBytesMax: number): Promise<readonly DoctorFinding[]> {
  const headers = { 'content-type': 'application/json', 'content-length': String(bodyBytesMax) };
  const { status, headers: answered } = await client.post('/v1/chat/completions', headers, undefined);
  const isOurs = answered['x-gateway-version'] !== undefined;
  if (isOurs) return [ok('front', 'The proxy forwards bodies up to the limit of the gateway.')];
  const fix = `Raise its limit to the limit of the gateway: \`client_max_body_size ${Math.ceil(bodyBytesMax / 2 ** 20)}m;\` in nginx.`;
  return [problem('front', `The proxy rejects large requests (${status}): long conversations will fail.`, fix)];
}

async function bufferFindings(
  client: DoctorClient,
  { key, model }: { key: string; model: string },
): Promise<readonly DoctorFinding[]> {
  const question = { model, stream: true, messages: [{ role: 'user', content: 'Count from 1 to 30 in words.' }] };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const { status, body, spreadMs, tookMs } = await client.post(
    '/v1/chat/completions',
    headers,
    JSON.stringify(question),
  );
  if (status !== 200)
    return [
      problem(
        'front',
        `A request for ${model} failed with ${status}: ${body.slice(0, 300)}`,
        'Check --key and --model.',
      ),
    ];
  if (spreadMs > Math.min(streamed.ms, streamed.share * tookMs)) return [ok('front', 'Answers are streamed.')];
  const fix = 'Disable buffering: `proxy_buffering off;` in nginx, `flush_interval -1` in Caddy.';
  return [problem('front', 'The whole answer arrived at once: a proxy buffers it.', fix)];
}

async function endFindings(url: URL): Promise<readonly DoctorFinding[]> {
  const end = url.protocol === 'https:' ? await certificateEnd(url, undefined) : undefined;
  return end === undefined ? [] : [certificateFinding('front', url.host, end, systemClock.now())];
}

interface DoctorAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The request used the connection of an earlier one. */
  readonly isReused: boolean;
  /** Time from the first to the last chunk of the body. */
  readonly spreadMs: number;
  /** Time from sending the request to the last chunk. */
  readonly tookMs: number;
}

class DoctorClient {
  readonly #url: URL;
  readonly #agent: Agent;

  constructor(url: URL) {
    this.#url = url;
    this.#agent = new (url.protocol === 'https:' ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 });
  }

  get(path: string): Promise<DoctorAnswer> {
    return this.#send({ method: 'GET', path }, '');
  }

  /** If `body` is `undefined`, the body arrives byte by byte until the reply. */
  post(path: string, headers: Record<string, string>, body: string | undefined): Promise<DoctorAnswer> {
    return this.#send({ method: 'POST', path, headers }, body);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(options: RequestOptions, body: string | undefined): Promise<DoctorAnswer> {
    const send = this.#url.protocol === 'https:' ? requestTls : requestPlain;
    const startedMs = performance.now();
    return new Promise((resolve, reject) => {
      const request = send(this.#url, { ...options, agent: this.#agent, timeout: timeoutMs });
      request.on('timeout', () => request.destroy(new Error(`no response within ${timeoutMs / 1000} s`)));
      request.on('error', reject);
      request.on('response', (response) => {
        const times: number[] = [];
        response.on('data', () => times.push(performance.now()));
        text(response).then((received) => {
          const spreadMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
          const { statusCode: status = 0, headers } = response;
          const tookMs = performance.now() - startedMs;
          resolve({ status, headers, body: received, isReused: request.reusedSocket, spreadMs, tookMs });
          if (body === undefined) request.destroy();
        }, reject);
      });
      if (body === undefined) sendSlowly(request);
      else request.end(body);
    });
  }
}

/** Sends a body that never ends. Caddy and Traefik pass an early reply on only when they have read more of the body. */
function sendSlowly(request: ClientRequest): void {
  request.flushHeaders();
  const sending = setInterval(() => request.write(' '), byteMs);
  // A socket that is written to is never idle.
  const limit = setTimeout(() => request.emit('timeout'), timeoutMs);
  request.on('close', () => {
    clearInterval(sending);
    clearTimeout(limit);
  });
}
