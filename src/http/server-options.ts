import type { Explanation } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import type { Pressure } from './pressure.ts';
import type { HttpClock } from './reader-watch.ts';
import type { Route } from './route.ts';

/** What the floor is told by those above it. None of the functions may throw. */
export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly limits: HttpLimits;
  /** The value of `x-gateway-version` right now. */
  stamp(): string;
  /** Another name under which replies on a path carry the request id, where clients look for it there. */
  idHeader?(path: string): string | undefined;
  /** A fresh request id. */
  newId(): string;
  /** Turns any error, an `HttpFault` or whatever a route threw, into what the client gets. */
  explain(error: unknown, about: { readonly id: string; readonly path: string }): Explanation;
  /** Called once for every exchange when it is over, refused bytes included. */
  observe(done: ExchangeSummary): void;
  /** What makes new requests wait before anything of them is read; without it nothing but their number does. */
  readonly pressure?: Pressure;
  /** Hears of every client that there was no descriptor for. */
  readonly onFull?: () => void;
  readonly clock: HttpClock;
  /** Whether an address is that of a proxy in front of us; none is unless it says so. */
  isTrustedProxy?(address: string): boolean;
}

export interface ExchangeSummary {
  readonly id: string;
  /** Empty when the bytes had no readable request line. */
  readonly method: string;
  readonly path: string;
  /** Where it came from. */
  readonly address: string;
  /** 0 when nothing was sent. */
  readonly status: number;
  readonly durationMs: number;
  readonly error: unknown;
  /** The client left, or was cut because it stopped reading, before the reply was complete. */
  readonly clientGone: boolean;
}
