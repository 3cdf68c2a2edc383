import type { Clock } from '../../../core/time/clock.ts';
import type { IdleOptions } from './idle-connections.ts';
import { type HttpPool, httpPool } from './pool.ts';
import { headerLines, requestTarget, requestText } from './request-text.ts';
import type { ResponseHead } from './response-head.ts';
import { TransportFault } from './transport-fault.ts';

interface TextLimits {
  readonly clock: Clock;
  /** The total timeout: connection, request and response. */
  readonly timeoutMs: number;
  readonly bytesMax: number;
  readonly signal?: AbortSignal;
  /** Whether only the head counts: the length and the duration of the body then do not change the result. */
  readonly ignoresBody?: boolean;
}

interface TextResponse {
  readonly head: ResponseHead;
  readonly text: string;
}

interface FetchTextOptions extends Omit<IdleOptions, 'origin'>, TextLimits {
  readonly headers: Readonly<Record<string, string>>;
}

/** Fetches one small document on a separate connection, or sends a body there. Redirects are not followed. */
export async function fetchText(address: URL, options: FetchTextOptions, body?: string): Promise<TextResponse> {
  const pool = httpPool({ ...options, origin: new URL(address.origin) });
  const to = { host: address.host, target: requestTarget(address) };
  const request = requestText(body === undefined ? 'GET' : 'POST', to, headerLines(options.headers), body);
  try {
    return await exchangeText(pool, request, options);
  } finally {
    pool.close();
  }
}

/** Sends a request whose response is one small document. Redirects are not followed. */
export function exchangeText(pool: HttpPool, request: string, limits: TextLimits): Promise<TextResponse> {
  const { clock, signal, timeoutMs, bytesMax, ignoresBody = false } = limits;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytesLeft = bytesMax;
    let responseHead: ResponseHead | undefined;
    const exchange = pool.send(request, {
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
    });
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
      if (ignoresBody && responseHead) resolve({ head: responseHead, text: '' });
      else reject(reason);
    }
  });
}
