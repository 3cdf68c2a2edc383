import type { GatewayError } from '../../core/gateway-error.ts';
import type { SentRequest, HttpPool } from '../http1/pool.ts';
import { headerLines, requestTarget, requestText } from '../http1/request-text.ts';
import { type BridgeAddressee, BridgeResponse } from './bridge-response.ts';

interface BridgeClient extends BridgeAddressee {
  /** Packages put a name of their own into this header. */
  readonly userAgent: string;
}

/** What a call looks out for. */
export interface BridgeExpectations {
  /** An answer of another content type is none. */
  readonly contentType?: string | undefined;
  /** Hears when the request has gone out. */
  readonly sent?: (() => void) | undefined;
  /** Hears that the provider has refused the request, before its reason is read. */
  readonly refused?: (() => void) | undefined;
}

/** The network of one call to a provider. Its `fetch` is what provider packages are given in place of the global one. */
export class BridgeCall {
  readonly #client: BridgeClient;
  readonly #poolAt: (origin: string) => HttpPool;
  readonly #expected: BridgeExpectations;
  #sent: SentRequest | undefined;
  #response: BridgeResponse | undefined;
  #isOver = false;
  /** What went wrong on the way to the provider, whatever the package made of it. */
  failure: GatewayError | undefined;

  constructor(client: BridgeClient, poolAt: (origin: string) => HttpPool, expected: BridgeExpectations) {
    this.#client = client;
    this.#poolAt = poolAt;
    this.#expected = expected;
  }

  readonly fetch = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    if (this.#isOver) return Promise.reject(new Error('the call is over'));
    if (input instanceof Request || typeof init.body !== 'string') {
      return Promise.reject(new TypeError('only texts can be posted'));
    }
    const address = new URL(input);
    const headers = headerLines({
      ...Object.fromEntries(new Headers(init.headers)),
      'user-agent': this.#client.userAgent,
    });
    const place = { host: address.host, target: requestTarget(address) };
    const request = requestText('POST', place, headers, init.body);
    return new Promise((resolve, reject) => {
      const response = new BridgeResponse(this.#client, {
        contentType: this.#expected.contentType,
        sent: () => this.#expected.sent?.(),
        refused: () => this.#expected.refused?.(),
        resolve,
        reject: (failure) => {
          this.failure ??= failure;
          reject(failure);
        },
        pause: () => sent.pause(),
        resume: () => sent.resume(),
        close: () => sent.destroy(),
      });
      const sent = this.#poolAt(address.origin).send(request, response);
      this.#response = response;
      this.#sent = sent;
    });
  };

  /** A whole event has been read: what comes next belongs to another one. */
  eventRead(): void {
    this.#response?.eventRead();
  }

  /** Closes the socket at once; whoever still reads sees the stream break off. */
  destroy(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sent?.destroy();
    this.#response?.abandon();
  }
}
