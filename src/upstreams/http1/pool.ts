import type { ResponseHandler } from './provider-connection.ts';
import { PooledRequest } from './pooled-request.ts';
import { IdleConnections, type IdleOptions } from './idle-connections.ts';

/** Connections to one origin, kept open between requests. */
export interface HttpPool {
  /** Sends a request written by `requestText` or `requestBytes`; the handler hears what becomes of it. Before this call returns it may hear `sent`, and nothing else. */
  send(request: string | Buffer, handler: ResponseHandler): SentRequest;
  /** Closes unused connections and keeps no new ones; running requests go on. */
  close(): void;
}

/** A request under way. */
export interface SentRequest {
  /** Stops reading from the socket, so that the other side has to stop writing. */
  pause(): void;
  resume(): void;
  /** Closes the connection; the handler hears nothing more. */
  destroy(): void;
}

export function httpPool(options: IdleOptions): HttpPool {
  const idle = new IdleConnections(options);
  return {
    send: (request, handler) => new PooledRequest(idle, request, handler),
    close: () => idle.close(),
  };
}
