import type { Timer } from '../../core/clock.ts';
import { ProviderConnection, type ResponseHandler } from './provider-connection.ts';
import type { TransportFault } from './transport-fault.ts';
import type { IdleConnections } from './idle-connections.ts';
import type { ResponseHead } from './response-head.ts';

/** From one try to connect to the next, while this machine is short of what a connection needs. */
const shortageRetryMs = 250;

/**
 * One request and its response, on a kept connection if there is one. The other side may have closed that one before the
 * request reached it: where the close comes within a moment and not a byte of a response, the request is sent once more,
 * on a new connection. On a new connection, after any byte or after that moment, the provider may have begun: whether the
 * request is sent again is for those to decide who know what it would cost.
 */
export class PooledRequest implements ResponseHandler {
  readonly #idle: IdleConnections;
  /** Let go of when it will not be sent again: a long conversation need not be kept while its answer is written. */
  #request: string | Buffer;
  readonly #handler: ResponseHandler;
  /** Until when a shortage of our own is waited out: as long as connecting may take. */
  readonly #patientUntil: number;
  /** Let go of with the last byte: from then on the connection may serve someone else. */
  #connection: ProviderConnection | undefined;
  #retry: Timer | undefined;
  #isPaused = false;
  #isSent = false;
  /** Whether it went out on a kept connection a moment ago. */
  #isResendable = false;

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
    this.letGo();
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  sent(): void {
    if (!this.#isResendable) this.#request = '';
    if (this.#isSent) return;
    this.#isSent = true;
    this.#handler.sent?.();
  }

  letGo(): void {
    if (!this.#isResendable) return;
    this.#isResendable = false;
    this.#idle.resendable.delete(this);
    this.#request = '';
  }

  head(head: ResponseHead): void {
    this.letGo();
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
    const connection = this.#connection;
    this.#connection = undefined;
    if (this.#isResendable && fault.reason === 'closed' && connection?.isUnanswered) return this.#sendAnew();
    this.letGo();
    if (fault.reason === 'local') this.#idle.onShortage(fault.message);
    const isUnsent = fault.reason === 'local' && connection?.hasStood === false;
    if (!isUnsent || this.#idle.now() >= this.#patientUntil) return this.#handler.fail(fault);
    this.#retry = this.#idle.clock.after(shortageRetryMs, () => this.#send());
  }

  #send(): void {
    const kept = this.#isSent ? undefined : this.#idle.take();
    if (kept) {
      this.#isResendable = true;
      this.#idle.resendable.add(this);
    }
    this.#sendOn(kept ?? new ProviderConnection(this.#idle));
  }

  /** Not on another kept one: what closes one connection often closes all of them. */
  #sendAnew(): void {
    this.#isResendable = false;
    this.#idle.resendable.delete(this);
    this.#sendOn(new ProviderConnection(this.#idle));
  }

  #sendOn(connection: ProviderConnection): void {
    this.#connection = connection;
    if (this.#isPaused) connection.pause();
    connection.send(this.#request, this);
  }
}
