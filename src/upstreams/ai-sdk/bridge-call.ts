import type { GatewayError } from '../../core/gateway-error.ts';
import type { HttpPool, SentRequest } from '../http1/pool.ts';
import { headerLines, requestTarget, requestText } from '../http1/request-text.ts';
import { type BridgeUpstream, BridgeResponse } from './bridge-response.ts';

interface BridgeClient extends BridgeUpstream {
  /** Packages would put their own name into this header. */
  readonly userAgent: string;
}

/** The expected content type and the callbacks of a call. */
export interface BridgeExpectations {
  /** A response with another content type is an error. */
  readonly contentType?: string | undefined;
  /** Called when the request was sent. */
  readonly sent?: (() => void) | undefined;
  /** Called when the provider refused the request, before the reason is read. */
  readonly refused?: (() => void) | undefined;
}

/** The network access of one call to a provider. Provider packages receive its `fetch` instead of the global one. */
export class BridgeCall {
  readonly #client: BridgeClient;
  readonly #poolAt: (origin: string) => HttpPool;
  readonly #expected: BridgeExpectations;
  #sent: SentRequest | undefined;
  #response: BridgeResponse | undefined;
  #isOver = false;
  /** The first network failure, regardless of how the package reports it. */
  failure: GatewayError | undefined;

  constructor(client: BridgeClient, poolAt: (origin: string) => HttpPool, expected: BridgeExpectations) {
    this.#client = client;
    this.#poolAt = poolAt;
    this.#expected = expected;
  }

  readonly fetch = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    if (this.#isOver) return Promise.reject(new Error('the call has ended'));
    if (input instanceof Request || typeof init.body !== 'string') {
      return Promise.reject(new TypeError('only string bodies can be sent'));
    }
    const address = new URL(input);
    const headers = headerLines({
      ...Object.fromEntries(new Headers(init.headers)),
      'user-agent': this.#client.userAgent,
    });
    const requestAddress = { host: address.host, target: requestTarget(address) };
    const request = requestText('POST', requestAddress, headers, init.body);
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

  /** Call it when a complete event was read: later bytes belong to another event. */
  eventRead(): void {
    this.#response?.eventRead();
  }

  /** Closes the socket immediately. For a reader the stream breaks off. */
  destroy(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#sent?.destroy();
    this.#response?.abandon();
  }
}
