import type { Explanation } from './exchange.ts';
import type { HttpLimits } from './limits.ts';
import type { Pressure } from './load/pressure.ts';
import type { HttpClock } from './slow-client-timeout.ts';
import type { Route } from './route.ts';

/** The options of the HTTP layer. None of the functions may throw. */
export interface HttpServerOptions {
  readonly routes: readonly Route[];
  readonly limits: HttpLimits;
  /** The current value of `x-gateway-version`. */
  stamp(): string;
  /** The name of a second header for the request id, on paths whose clients expect one. */
  idHeader?(path: string): string | undefined;
  /** The endpoints that a path may stand for at a host, if no route has it. The first with a route is used. */
  otherPaths?(host: string, path: string): readonly string[];
  newId(): string;
  /** Converts any error, an `HttpFault` or an error of a route, into the reply to the client. */
  explain(error: unknown, about: { readonly id: string; readonly path: string }): Explanation;
  /** Called once when an exchange ends, including rejected bytes. */
  observe(done: ExchangeSummary): void;
  /** Delays new requests under load, before they are read. Without it only `connectionsMax` does. */
  readonly pressure?: Pressure;
  /** Called for every client that gets no file descriptor. */
  readonly onFull?: () => void;
  readonly clock: HttpClock;
  /** Whether an address is a proxy in front of the gateway. Without it no address is. */
  isTrustedProxy?(address: string): boolean;
}

export interface ExchangeSummary {
  readonly id: string;
  /** Empty when the bytes had no readable request line. */
  readonly method: string;
  readonly path: string;
  readonly address: string;
  /** 0 when nothing was sent. */
  readonly status: number;
  readonly durationMs: number;
  readonly error: unknown;
  /** The client left, or was disconnected because it stopped reading, before the reply was complete. */
  readonly clientGone: boolean;
}
