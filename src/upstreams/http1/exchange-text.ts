import type { Clock } from '../../core/time/clock.ts';
import type { ResponseHandler } from './provider-connection.ts';
import { TransportFault } from './transport-fault.ts';
import type { HttpPool } from './pool.ts';
import type { ResponseHead } from './response-head.ts';

export interface TextLimits {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
}

/** A complete response as text. */
export interface TextResponse {
  readonly head: ResponseHead;
  readonly text: string;
}

/** Sends a request whose response is one small document. Redirects are not followed. */
export function exchangeText(pool: HttpPool, request: string, limits: TextLimits): Promise<TextResponse> {
  const { clock, signal, timeoutMs, bytesMax } = limits;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytesLeft = bytesMax;
    let responseHead: ResponseHead | undefined;
    const handler: ResponseHandler = {
      head: (head) => {
        responseHead = head;
      },
      data: (bytes) => {
        pieces.push(Buffer.from(bytes));
        bytesLeft -= bytes.length;
        if (bytesLeft < 0) giveUp(new TransportFault('malformed', `the response is larger than ${bytesMax} bytes`));
      },
      end: () => {
        settle();
        if (responseHead) resolve({ head: responseHead, text: Buffer.concat(pieces).toString('utf8') });
      },
      fail: giveUp,
    };
    const exchange = pool.send(request, handler);
    const timer = clock.after(timeoutMs, () =>
      giveUp(new TransportFault('closed', `no response within ${timeoutMs} ms`)),
    );
    const aborted = () => giveUp(signal?.reason);
    signal?.addEventListener('abort', aborted);

    function settle(): void {
      clock.cancel(timer);
      signal?.removeEventListener('abort', aborted);
    }

    function giveUp(reason: unknown): void {
      settle();
      exchange.destroy();
      reject(reason);
    }
  });
}
