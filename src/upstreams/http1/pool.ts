import type { ResponseHandler } from './provider-connection.ts';
import { PooledRequest } from './pooled-request.ts';
import { IdleConnections, type IdleOptions } from './idle-connections.ts';

/** Connections to one origin, kept open between requests. */
export interface HttpPool {
  /**
   * Sends a request written by `requestText` or `requestBytes` and passes the response to the handler. Before this call
   * returns, the handler may receive `sent` and nothing else.
   */
  send(request: string | Buffer, handler: ResponseHandler): SentRequest;
  /** Closes idle connections and keeps no new ones. Running requests continue. */
  close(): void;
}

/** A request in flight. */
export interface SentRequest {
  /** Stops reading from the socket, so that backpressure reaches the other side. */
  pause(): void;
  resume(): void;
  /** Closes the connection. The handler is not called again. */
  destroy(): void;
}

export function httpPool(options: IdleOptions): HttpPool {
  const idle = new IdleConnections(options);
  return {
    send: (request, handler) => new PooledRequest(idle, request, handler),
    close: () => idle.close(),
  };
}
