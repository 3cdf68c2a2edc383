import type { Exchange } from '../http/exchange.ts';

/** Where a reply goes: a client, or all who wait for the same one. */
export interface ReplyTarget extends Pick<Exchange, 'gone' | 'fail' | 'openEventStream'> {
  /** A reply in one piece. */
  send(status: number, contentType: string, body: string): void;
}
