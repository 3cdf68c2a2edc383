import { createSign } from 'node:crypto';
import type { ServiceAccount } from '../../../platform/config/schema/service-account.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { foreignJson } from 'chat-formats/json/foreign-json.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { nonEmptyString, objectOf } from 'chat-formats/wire-value.ts';
import { refusal, transportError, upstreamFailed } from '../answer/refusal.ts';
import { exchangeText } from '../http1/fetch-text.ts';
import type { HttpPools } from '../http1/pool.ts';
import { headerLines, requestTarget, requestText } from '../http1/request-text.ts';
import { TransportFault } from '../http1/transport-fault.ts';

const requestTimeoutMs = 10_000;
const responseBytesMax = 64 * 1024;
const renewBeforeSeconds = 60;
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const scope = 'https://www.googleapis.com/auth/cloud-platform';

interface TokenParts {
  readonly upstream: string;
  readonly clock: Clock;
  readonly pools: HttpPools;
  readonly redact: (text: string) => string;
}

/** Access tokens of a Google service account. Each is requested once and used until shortly before it expires. */
export class GoogleTokens {
  readonly #account: ServiceAccount;
  readonly #parts: TokenParts;
  #pending: Promise<void> | undefined;
  #expiresAt = 0;
  /** The last token. Undefined before the first. */
  current: string | undefined;

  constructor(account: ServiceAccount, parts: TokenParts) {
    this.#account = account;
    this.#parts = parts;
  }

  get isCurrent(): boolean {
    return this.#parts.clock.now() < this.#expiresAt;
  }

  /** Resolves once `current` is usable. Callers that arrive during a request wait for the same token. */
  renew(): Promise<void> {
    this.#pending ??= this.#request().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #request(): Promise<void> {
    const { upstream, clock, pools, redact } = this.#parts;
    const address = new URL(this.#account.tokenUri);
    const form = `grant_type=${encodeURIComponent(grantType)}&assertion=${this.#assertion()}`;
    const headers = headerLines({
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'user-agent': 'chat-gateway',
    });
    const request = requestText('POST', { host: address.host, target: requestTarget(address) }, headers, form);
    const limits = { clock, timeoutMs: requestTimeoutMs, bytesMax: responseBytesMax };
    try {
      const { head, text } = await exchangeText(pools.at(new URL(address.origin)), request, limits);
      if (head.status !== 200) throw refusal({ upstream, redact }, head.status, text);
      this.#accept(objectOf(foreignJson(text)) ?? {});
    } catch (error) {
      throw ofProvider(error);
    }
  }

  #accept(answer: Readonly<Record<string, unknown>>): void {
    const token = nonEmptyString(answer['access_token']);
    if (token === undefined) throw upstreamFailed('the response of the token endpoint contains no token');
    this.#expiresAt =
      this.#parts.clock.now() + Math.max(0, Number(answer['expires_in'] ?? 0) - renewBeforeSeconds) * 1000;
    this.current = token;
  }

  #assertion(): string {
    const { clientEmail, privateKey, privateKeyId, tokenUri } = this.#account;
    const issuedAt = Math.floor(this.#parts.clock.now() / 1000);
    const head = { alg: 'RS256', typ: 'JWT', kid: privateKeyId };
    const claims = { iss: clientEmail, scope, aud: tokenUri, iat: issuedAt, exp: issuedAt + 3600 };
    const signed = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  }
}

/** Without a token, the error is between gateway and provider: a client cannot fix it. */
function ofProvider(error: unknown): GatewayError {
  const failure = error instanceof TransportFault ? transportError(error) : error;
  if (!(failure instanceof GatewayError)) return new GatewayError('upstream-failed', { cause: failure });
  if (failure.case === 'overloaded' || failure.case === 'upstream-failed') return failure;
  return new GatewayError('upstream-failed', { cause: failure.cause ?? failure });
}
