import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import type { ProxyFor } from '../../../platform/config/schema/proxy.ts';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import type { ConnectionHost, ProviderConnection } from './provider-connection.ts';
import type { EgressGuard } from './egress-guard.ts';
import { type Proxy, proxyAt } from './proxy.ts';
import type { ResponseHead } from './response-head.ts';

const readBytes = 65_536;

/** Many servers close a connection after 5 s without traffic. No request should be sent at that moment. */
const usualIdleMs = 4000;

export interface IdleOptions {
  readonly origin: URL;
  readonly clock: Clock;
  /** Covers DNS look-up, TCP and TLS. */
  readonly connectTimeoutMs: number;
  /** The addresses that connections may go to. Any address if left out. */
  readonly guard?: EgressGuard | undefined;
  /** Resolves host names. The resolver of the system if left out. */
  readonly lookup?: LookupFunction | undefined;
  /** Selects the proxy for an origin. No proxy if left out. */
  readonly proxyFor?: ProxyFor | undefined;
  /** Trusted certificates (PEM) in addition to those of Node. */
  readonly ca?: string | undefined;
  /** Called with the reason when this machine lacks the resources for a connection. */
  readonly onShortage?: ((message: string) => void) | undefined;
  readonly idleTimeoutMs?: number;
  readonly idleMax?: number;
}

/** Idle connections. The most recently used one is used next, so that the others expire and are closed. */
export class IdleConnections implements ConnectionHost {
  readonly origin: URL;
  readonly clock: Clock;
  readonly connectTimeoutMs: number;
  readonly guard: EgressGuard | undefined;
  readonly lookup: LookupFunction;
  readonly proxy: Proxy | undefined;
  readonly secureContext: SecureContext | undefined;
  readonly onShortage: (message: string) => void;
  readonly resendable: ResendWindow;
  readonly #idleTimeoutMs: number;
  readonly #idleMax: number;
  readonly #connections: ProviderConnection[] = [];
  readonly #sharedBuffer = Buffer.allocUnsafeSlow(readBytes);
  #sweepTimer: Timer | undefined;
  #isClosed = false;

  constructor(options: IdleOptions) {
    this.origin = options.origin;
    this.connectTimeoutMs = options.connectTimeoutMs;
    this.guard = options.guard;
    this.lookup = options.lookup ?? systemLookup;
    this.clock = options.clock;
    this.resendable = new ResendWindow(options.clock);
    const proxy = options.proxyFor?.(options.origin);
    this.proxy = proxy === undefined ? undefined : proxyAt(proxy);
    // One for all connections, because creating it reads every trusted certificate.
    this.secureContext = options.ca === undefined ? undefined : contextWithCa(options.ca);
    this.onShortage = options.onShortage ?? (() => {});
    this.#idleTimeoutMs = options.idleTimeoutMs ?? usualIdleMs;
    this.#idleMax = options.idleMax ?? 256;
  }

  now(): number {
    return this.clock.elapsed();
  }

  take(): ProviderConnection | undefined {
    for (;;) {
      const connection = this.#connections.pop();
      if (!connection || (connection.expiresAt > this.now() && !connection.isOver)) return connection;
      connection.destroy();
    }
  }

  /** Shared, because a read ends before the next begins. Windows fills a buffer in advance: there it is not shared. */
  readBuffer(): Buffer {
    return process.platform === 'win32' ? Buffer.allocUnsafeSlow(readBytes) : this.#sharedBuffer;
  }

  released(connection: ProviderConnection, head: ResponseHead): void {
    if (this.#isClosed) return connection.destroy();
    connection.expiresAt = this.now() + Math.min(this.#idleTimeoutMs, announcedIdleMs(head));
    this.#connections.push(connection);
    if (this.#connections.length > this.#idleMax) this.#connections.shift()?.destroy();
    if (!this.#sweepTimer) this.#sweepLater();
  }

  closed(connection: ProviderConnection): void {
    const index = this.#connections.indexOf(connection);
    if (index >= 0) this.#connections.splice(index, 1);
  }

  close(): void {
    this.#isClosed = true;
    this.clock.cancel(this.#sweepTimer);
    for (const connection of this.#connections.splice(0)) connection.destroy();
  }

  #sweep(): void {
    this.#sweepTimer = undefined;
    const now = this.now();
    for (const connection of this.#connections) if (connection.expiresAt <= now) connection.destroy();
    if (this.#connections.length > 0) this.#sweepLater();
  }

  #sweepLater(): void {
    this.#sweepTimer = this.clock.after(this.#idleTimeoutMs, () => this.#sweep());
    this.#sweepTimer.unref();
  }
}

function contextWithCa(ca: string): SecureContext {
  return createSecureContext({ ca: [...getCACertificates('default'), ca] });
}

/** The idle timeout that the server announces, minus one second, so that the gateway closes first. */
function announcedIdleMs(head: ResponseHead): number {
  const seconds = /(?:^|[,\s])timeout=(\d{1,6})/.exec(head.header('keep-alive') ?? '')?.[1];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Number(seconds) * 1000 - 1000);
}

/** The longest time that the close of a connection may be in transit, and the interval of the timer. */
const windowMs = 1000;

interface Resendable {
  /** Called when the request can no longer be sent again. */
  release(): void;
}

/** Requests on kept connections without any response byte. Each stays for one window at least and two at most. */
class ResendWindow {
  readonly #clock: Clock;
  #recent = new Set<Resendable>();
  #older = new Set<Resendable>();
  #timer: Timer | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(request: Resendable): void {
    this.#recent.add(request);
    if (!this.#timer) this.#startTimer();
  }

  delete(request: Resendable): void {
    this.#recent.delete(request);
    this.#older.delete(request);
  }

  #startTimer(): void {
    this.#timer = this.#clock.after(windowMs, () => this.#rotate());
    this.#timer.unref();
  }

  #rotate(): void {
    this.#timer = undefined;
    const expired = this.#older;
    this.#older = this.#recent;
    this.#recent = new Set();
    for (const request of expired) request.release();
    if (this.#older.size > 0) this.#startTimer();
  }
}
