import type { ResponseHandler } from './connection.ts';
import { Exchange } from './exchange.ts';
import { IdleConnections, type IdleOptions } from './idle-connections.ts';

/** Connections to one origin, kept open between exchanges. */
export interface HttpPool {
  /** Sends a request written by `requestText`; the handler hears what becomes of it, never before this call returns. */
  send(request: string, handler: ResponseHandler): HttpExchange;
  /** Closes unused connections and keeps no new ones; running exchanges go on. */
  close(): void;
}

/** A request under way. */
export interface HttpExchange {
  /** Stops reading from the socket, so that the other side has to stop writing. */
  pause(): void;
  resume(): void;
  /** Closes the connection; the handler hears nothing more. */
  destroy(): void;
}

export function httpPool(options: IdleOptions): HttpPool {
  const idle = new IdleConnections(options);
  return {
    send: (request, handler) => new Exchange(idle, request, handler),
    close: () => idle.close(),
  };
}
