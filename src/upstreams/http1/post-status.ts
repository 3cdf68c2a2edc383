import type { Clock } from '../../core/time/clock.ts';
import type { ResponseHandler } from './provider-connection.ts';
import { TransportFault } from './transport-fault.ts';
import type { IdleOptions } from './idle-connections.ts';
import { httpPool } from './pool.ts';
import { headerLines, requestTarget, requestText } from './request-text.ts';

export interface PostOptions
  extends Pick<IdleOptions, 'connectTimeoutMs' | 'guard' | 'lookup' | 'proxyFor' | 'onShortage'> {
  readonly clock: Clock;
  /** The total timeout: connection, request and response. */
  readonly timeoutMs: number;
  /** The most bytes of the response body to read. The body is discarded. */
  readonly bytesMax: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a text on a separate connection and resolves with the status of the response. The body after the status does
 * not change the result, regardless of its length and duration. Redirects are not followed.
 */
export function postForStatus(address: URL, options: PostOptions): Promise<number> {
  const { clock, timeoutMs, body, headers, connectTimeoutMs, guard, lookup, proxyFor, onShortage } = options;
  const origin = new URL(address.origin);
  const pool = httpPool({ origin, clock, connectTimeoutMs, guard, lookup, proxyFor, onShortage });
  const requestAddress = { host: address.host, target: requestTarget(address) };
  const request = requestText('POST', requestAddress, headerLines(headers), body);
  return new Promise<number>((resolve, reject) => {
    let bytesLeft = options.bytesMax;
    let status: number | undefined;
    const handler: ResponseHandler = {
      head: (head) => {
        status = head.status;
      },
      data: (bytes) => {
        bytesLeft -= bytes.length;
        if (bytesLeft < 0) finish(undefined);
      },
      end: () => finish(undefined),
      fail: finish,
    };
    const timer = clock.after(timeoutMs, () =>
      finish(new TransportFault('closed', `no answer within ${timeoutMs} ms`)),
    );
    const exchange = pool.send(request, handler);

    function finish(fault: TransportFault | undefined): void {
      clock.cancel(timer);
      exchange.destroy();
      if (status !== undefined) resolve(status);
      else reject(fault ?? new TransportFault('closed', 'no answer'));
    }
  }).finally(() => pool.close());
}
