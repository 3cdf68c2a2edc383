import type { CompleteEnding } from '../../cluster/reply-claims.ts';
import type { Exchange } from '../../http/exchange.ts';

/** The target of a reply: one client, or all clients of a shared reply. */
export interface ReplyTarget extends Pick<Exchange, 'gone' | 'fail' | 'openEventStream'> {
  /**
   * Records a complete reply. The caller sends `last` only after it resolves; undefined if nothing has to be recorded.
   */
  recorded?(last: string, ending: CompleteEnding): Promise<void> | undefined;
  /** Sends a reply in one piece. */
  send(status: number, contentType: string, body: string): void;
}
