import { createSign } from 'node:crypto';
import { foreignJson } from '../../core/json/foreign-json.ts';
import type { Clock } from '../../core/time/clock.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import { objectOf, nonEmptyString } from '../../dialects/wire-value.ts';
import type { ServiceAccount } from '../../config/schema/service-account.ts';
import type { BridgeHttp } from './bridge-http.ts';

/** Access tokens of a Google service account. Each is requested once and used until shortly before it expires. */
export class AccessTokens {
  readonly #account: ServiceAccount;
  readonly #http: BridgeHttp;
  readonly #clock: Clock;
  #token: Promise<string> | undefined;
  #expiresAt = 0;
  /** The current token, for the redaction of logs. */
  current: string | undefined;

  constructor(account: ServiceAccount, http: BridgeHttp, clock: Clock) {
    this.#account = account;
    this.#http = http;
    this.#clock = clock;
  }

  token(): Promise<string> {
    if (this.#token && this.#clock.now() < this.#expiresAt) return this.#token;
    // Callers that arrive during the request wait for the same token.
    this.#expiresAt = Number.POSITIVE_INFINITY;
    this.#token = this.#request();
    this.#token.catch(() => {
      this.#token = undefined;
    });
    return this.#token;
  }

  async #request(): Promise<string> {
    const network = this.#http.call();
    const timer = this.#clock.after(requestTimeoutMs, () => network.destroy());
    try {
      const response = await network.fetch(this.#account.tokenUri, {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `grant_type=${encodeURIComponent(grantType)}&assertion=${this.#assertion()}`,
      });
      return this.#read(objectOf(foreignJson(await response.text())) ?? {});
    } catch (error) {
      if (error instanceof GatewayError && error.case === 'overloaded') throw error;
      // Any other error is between the gateway and the provider: a client cannot fix it.
      const cause = error instanceof GatewayError ? (error.cause ?? error) : error;
      throw new GatewayError('upstream-failed', { cause });
    } finally {
      this.#clock.cancel(timer);
    }
  }

  #read(answer: Readonly<Record<string, unknown>>): string {
    const token = nonEmptyString(answer['access_token']);
    if (token === undefined) throw new Error('the response of the token endpoint contains no token');
    this.#expiresAt = this.#clock.now() + Math.max(0, Number(answer['expires_in'] ?? 0) - renewBeforeSeconds) * 1000;
    this.current = token;
    return token;
  }

  #assertion(): string {
    const { clientEmail, privateKey, privateKeyId, tokenUri } = this.#account;
    const issuedAt = Math.floor(this.#clock.now() / 1000);
    const head = { alg: 'RS256', typ: 'JWT', kid: privateKeyId };
    const claims = { iss: clientEmail, scope, aud: tokenUri, iat: issuedAt, exp: issuedAt + 3600 };
    const signed = [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
  }
}

const requestTimeoutMs = 10_000;
const renewBeforeSeconds = 60;
const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
