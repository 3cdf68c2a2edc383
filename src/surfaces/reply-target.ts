import type { WholeEnding } from '../cluster/reply-claims.ts';
import type { Exchange } from '../http/exchange.ts';

/** Where a reply goes: a client, or all who wait for the same one. */
export interface ReplyTarget extends Pick<Exchange, 'gone' | 'fail' | 'openEventStream'> {
  /**
   * What must be done before the end of a whole reply may go out, if anything must: resolves when it may. It is given what is
   * said last, which is said afterwards.
   */
  recorded?(last: string, ending: WholeEnding): Promise<void> | undefined;
  /** A reply in one piece. */
  send(status: number, contentType: string, body: string): void;
}
