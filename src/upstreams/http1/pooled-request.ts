import type { Timer } from '../../core/clock.ts';
import { ProviderConnection, type ResponseHandler } from './provider-connection.ts';
import type { TransportFault } from './transport-fault.ts';
import type { IdleConnections } from './idle-connections.ts';
import type { ResponseHead } from './response-head.ts';

/** From one try to connect to the next, while this machine is short of what a connection needs. */
const shortageRetryMs = 250;

/**
 * One request and its response, on a kept connection if there is one. A request that may have reached the other side is
 * never sent again: that is for those to decide who know what it would cost.
 */
export class PooledRequest implements ResponseHandler {
  readonly #idle: IdleConnections;
  /** Let go of when it was sent: a long conversation need not be kept while its answer is written. */
  #request: string | Buffer;
  readonly #handler: ResponseHandler;
  /** Until when a shortage of our own is waited out: as long as connecting may take. */
  readonly #patientUntil: number;
  /** Let go of with the last byte: from then on the connection may serve someone else. */
  #connection: ProviderConnection | undefined;
  #retry: Timer | undefined;
  #isPaused = false;

  constructor(idle: IdleConnections, request: string | Buffer, handler: ResponseHandler) {
    this.#idle = idle;
    this.#request = request;
    this.#handler = handler;
    this.#patientUntil = idle.now() + idle.connectTimeoutMs;
    this.#send();
  }

  pause(): void {
    this.#isPaused = true;
    this.#connection?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#connection?.resume();
  }

  destroy(): void {
    this.#idle.clock.cancel(this.#retry);
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  sent(): void {
    this.#request = '';
    this.#handler.sent?.();
  }

  head(head: ResponseHead): void {
    this.#handler.head(head);
  }

  data(bytes: Buffer): void {
    this.#handler.data(bytes);
  }

  end(): void {
    this.#connection = undefined;
    this.#handler.end();
  }

  fail(fault: TransportFault): void {
    const isUnsent = fault.reason === 'local' && this.#connection?.hasStood === false;
    this.#connection = undefined;
    if (fault.reason === 'local') this.#idle.onShortage(fault.message);
    if (!isUnsent || this.#idle.now() >= this.#patientUntil) return this.#handler.fail(fault);
    this.#retry = this.#idle.clock.after(shortageRetryMs, () => this.#send());
  }

  #send(): void {
    this.#connection = this.#idle.take() ?? new ProviderConnection(this.#idle);
    if (this.#isPaused) this.#connection.pause();
    this.#connection.send(this.#request, this);
  }
}
