import { Agent, type IncomingHttpHeaders, type RequestOptions, request as requestPlain } from 'node:http';
import { Agent as TlsAgent, request as requestTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { systemClock } from '../../core/clock.ts';
import { certificateEnd, certificateFinding } from './certificate.ts';
import { type DoctorFinding, ok, problem, warning } from './finding.ts';

export interface FrontOptions {
  /** The address that clients use. */
  readonly url: URL;
  /** The largest body the gateway takes. */
  readonly bodyBytesMax: number;
  /** With a key and a model, an answer is asked for to see whether it comes in pieces. */
  readonly trial: { readonly key: string; readonly model: string } | undefined;
}

const timeoutMs = 20_000;
/** An answer that comes as it is written takes a while from its first piece to its last, or most of its time. */
const inPieces = { ms: 200, share: 0.1 };

/** Looks at what stands between clients and the gateway, by asking as a client would. */
export async function frontFindings({ url, bodyBytesMax, trial }: FrontOptions): Promise<readonly DoctorFinding[]> {
  const asking = new DoctorRequest(url);
  try {
    const health = await asking.get('/healthz');
    if (health.headers['x-gateway-version'] === undefined) return [stranger(url, health.status)];
    return [
      ok('front', `${url.origin} leads to the gateway.`),
      ...(await hostFindings(asking, url)),
      ...(await connectionFindings(asking)),
      ...(await bodyFindings(asking, bodyBytesMax)),
      ...(trial ? await bufferFindings(asking, trial) : [untried]),
      ...(await endFindings(url)),
    ];
  } catch (error) {
    const says = `${url.origin} cannot be asked: ${error instanceof Error ? error.message : String(error)}.`;
    return [problem('front', says, 'Check that the address is right, that the proxy runs, and its certificate.')];
  } finally {
    asking.close();
  }
}

function stranger({ origin }: URL, status: number): DoctorFinding {
  const says = `${origin}/healthz was answered with ${status}, and not by the gateway.`;
  return problem(
    'front',
    says,
    'See that the proxy passes all paths on to the gateway, and where it thinks the gateway is.',
  );
}

const untried: DoctorFinding = ok(
  'front',
  'Whether answers come in pieces was not tried: that needs --key and --model, and costs an answer.',
);

/** The address the gateway thinks it was asked at is the one its own document names. */
async function hostFindings(asking: DoctorRequest, url: URL): Promise<readonly DoctorFinding[]> {
  const { body } = await asking.get('/openapi.json');
  const seen = URL.parse((JSON.parse(body) as { servers?: { url?: string }[] }).servers?.[0]?.url ?? '');
  const findings: DoctorFinding[] = [];
  if (seen?.host !== url.host) {
    const says = `The gateway sees the host ${seen?.host ?? 'of nobody'} instead of ${url.host}, so sites are told apart wrongly.`;
    findings.push(problem('front', says, 'Pass the host on: `proxy_set_header Host $http_host;` in nginx.'));
  }
  if (seen?.protocol !== url.protocol) {
    const says = `The gateway thinks that clients use ${seen?.protocol ?? 'nothing'} and they use ${url.protocol}`;
    findings.push(warning('front', says, 'Send `X-Forwarded-Proto`, and name the proxy in `listen.trusted_proxies`.'));
  }
  return findings.length === 0 ? [ok('front', 'The host and the protocol of clients arrive.')] : findings;
}

async function connectionFindings(asking: DoctorRequest): Promise<readonly DoctorFinding[]> {
  const { isReused } = await asking.get('/healthz');
  if (isReused) return [ok('front', 'Connections are kept between requests.')];
  const says = 'Every request needs a connection of its own, which costs clients a round trip or three.';
  return [
    warning('front', says, 'Let the proxy keep connections of clients open (`keepalive_timeout 75s;` in nginx).'),
  ];
}

/** Only announced and never sent: a gateway refuses it for want of a key, a proxy for its size. */
async function bodyFindings(asking: DoctorRequest, bodyBytesMax: number): Promise<readonly DoctorFinding[]> {
  const headers = { 'content-type': 'application/json', 'content-length': String(bodyBytesMax) };
  const { status, headers: answered } = await asking.post('/v1/chat/completions', headers, undefined);
  const isOurs = answered['x-gateway-version'] !== undefined;
  if (isOurs) return [ok('front', 'Bodies of any size that the gateway takes may pass.')];
  const fix = `Raise its limit to that of the gateway: \`client_max_body_size ${Math.ceil(bodyBytesMax / 2 ** 20)}m;\` in nginx.`;
  return [problem('front', `The proxy itself refuses large requests (${status}): long conversations will fail.`, fix)];
}

async function bufferFindings(
  asking: DoctorRequest,
  { key, model }: { key: string; model: string },
): Promise<readonly DoctorFinding[]> {
  const question = { model, stream: true, messages: [{ role: 'user', content: 'Count from 1 to 30 in words.' }] };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const { status, body, spreadMs, tookMs } = await asking.post(
    '/v1/chat/completions',
    headers,
    JSON.stringify(question),
  );
  if (status !== 200)
    return [
      problem(
        'front',
        `An answer of ${model} was refused with ${status}: ${body.slice(0, 300)}`,
        'See --key and --model.',
      ),
    ];
  if (spreadMs > Math.min(inPieces.ms, inPieces.share * tookMs)) return [ok('front', 'Answers come in pieces.')];
  const fix = 'Turn buffering off: `proxy_buffering off;` in nginx, `flush_interval -1` in Caddy.';
  return [problem('front', 'The whole answer came at once: something on the way keeps it back.', fix)];
}

async function endFindings(url: URL): Promise<readonly DoctorFinding[]> {
  const end = url.protocol === 'https:' ? await certificateEnd(url, undefined) : undefined;
  return end === undefined ? [] : [certificateFinding('front', url.host, end, systemClock.now())];
}

interface DoctorAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The request went out on a connection that another had used. */
  readonly isReused: boolean;
  /** From the first piece of the body to the last. */
  readonly spreadMs: number;
  /** From asking to the last piece. */
  readonly tookMs: number;
}

/** One client with one connection. */
class DoctorRequest {
  readonly #url: URL;
  readonly #agent: Agent;

  constructor(url: URL) {
    this.#url = url;
    this.#agent = new (url.protocol === 'https:' ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 });
  }

  get(path: string): Promise<DoctorAnswer> {
    return this.#ask({ method: 'GET', path }, '');
  }

  /** Without a body, what was announced is never sent. */
  post(path: string, headers: Record<string, string>, body: string | undefined): Promise<DoctorAnswer> {
    return this.#ask({ method: 'POST', path, headers }, body);
  }

  close(): void {
    this.#agent.destroy();
  }

  #ask(options: RequestOptions, body: string | undefined): Promise<DoctorAnswer> {
    const send = this.#url.protocol === 'https:' ? requestTls : requestPlain;
    const startedMs = performance.now();
    return new Promise((resolve, reject) => {
      const request = send(this.#url, { ...options, agent: this.#agent, timeout: timeoutMs });
      request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs / 1000} s`)));
      request.on('error', reject);
      request.on('response', (response) => {
        const times: number[] = [];
        response.on('data', () => times.push(performance.now()));
        text(response).then((said) => {
          const spreadMs = (times.at(-1) ?? 0) - (times[0] ?? 0);
          const { statusCode: status = 0, headers } = response;
          const tookMs = performance.now() - startedMs;
          resolve({ status, headers, body: said, isReused: request.reusedSocket, spreadMs, tookMs });
        }, reject);
        if (body === undefined) request.destroy();
      });
      if (body === undefined) request.flushHeaders();
      else request.end(body);
    });
  }
}
