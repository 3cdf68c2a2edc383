import type { GatewayError } from '../../core/gateway-error.ts';
import type { CallParts } from '../answer/refused-response.ts';
import { HttpPools } from '../http1/pool.ts';
import { headerLines, requestTarget, requestText } from '../http1/request-text.ts';
import type { Network } from '../provider-link.ts';
import { type BridgeExpectations, BridgeResponse } from './bridge-response.ts';

interface BridgeHttpOptions extends Network, Pick<CallParts, 'upstream' | 'clock' | 'redact'> {
  /** Packages would put their own name into this header. */
  readonly userAgent: string;
  readonly connectTimeoutMs: number;
}

/** The egress guard, the connect timeout, the pool and the ban on redirects apply to packages as to all upstreams. */
export class BridgeHttp {
  readonly #options: BridgeHttpOptions;
  readonly #pools: HttpPools;

  constructor(options: BridgeHttpOptions) {
    this.#options = options;
    this.#pools = new HttpPools(options);
  }

  /** Returns the network access of one call. Its connections are closed with it. */
  call(expected: BridgeExpectations = {}): BridgeCall {
    return new BridgeCall(this.#options, this.#pools, expected);
  }

  close(): void {
    this.#pools.close();
  }
}

/** The network access of one call to a provider. Provider packages receive its `fetch` instead of the global one. */
export class BridgeCall {
  readonly #options: BridgeHttpOptions;
  readonly #pools: HttpPools;
  readonly #expected: BridgeExpectations;
  #response: BridgeResponse | undefined;
  #isOver = false;
  /** The first network failure, regardless of how the package reports it. */
  failure: GatewayError | undefined;

  constructor(options: BridgeHttpOptions, pools: HttpPools, expected: BridgeExpectations) {
    this.#options = options;
    this.#pools = pools;
    this.#expected = expected;
  }

  readonly fetch = (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    if (this.#isOver) return Promise.reject(new Error('the call has ended'));
    if (input instanceof Request || typeof init.body !== 'string') {
      return Promise.reject(new TypeError('only string bodies can be sent'));
    }
    const address = new URL(input);
    const { userAgent } = this.#options;
    const headers = headerLines({ ...Object.fromEntries(new Headers(init.headers)), 'user-agent': userAgent });
    const to = { host: address.host, target: requestTarget(address) };
    const request = requestText('POST', to, headers, init.body);
    return new Promise((resolve, reject) => {
      const fail = (failure: GatewayError): void => {
        this.failure ??= failure;
        reject(failure);
      };
      this.#response = new BridgeResponse(this.#options, this.#expected, { resolve, reject: fail });
      this.#response.send(this.#pools.at(new URL(address.origin)), request);
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
    this.#response?.abandon();
  }
}
