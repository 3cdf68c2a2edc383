import type { ResponseHandler } from './connection.ts';
import type { IdleOptions } from './idle-connections.ts';
import { HttpFault } from './http-fault.ts';
import { httpPool } from './pool.ts';
import { headerLines, requestTarget, requestText } from './request-text.ts';
import type { ResponseHead } from './response-head.ts';

export interface FetchTextOptions extends Pick<IdleOptions, 'clock' | 'connectTimeoutMs' | 'guard' | 'lookup'> {
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly bytesMax: number;
}

/** Gets one small document on a connection of its own. Redirects are not followed. */
export function fetchText(
  address: URL,
  options: FetchTextOptions,
): Promise<{ readonly head: ResponseHead; readonly text: string }> {
  const pool = httpPool({
    origin: new URL(address.origin),
    clock: options.clock,
    connectTimeoutMs: options.connectTimeoutMs,
    guard: options.guard,
    lookup: options.lookup,
  });
  const place = { host: address.host, target: requestTarget(address) };
  const request = requestText('GET', place, headerLines(options.headers), undefined);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytesLeft = options.bytesMax;
    let responseHead: ResponseHead | undefined;
    const handler: ResponseHandler = {
      head: (head) => {
        responseHead = head;
      },
      data: (bytes) => {
        pieces.push(Buffer.from(bytes));
        bytesLeft -= bytes.length;
        if (bytesLeft < 0) giveUp(new HttpFault('malformed', `the response is larger than ${options.bytesMax} bytes`));
      },
      end: () => {
        clearTimeout(timer);
        pool.close();
        if (responseHead) resolve({ head: responseHead, text: Buffer.concat(pieces).toString('utf8') });
      },
      fail: giveUp,
    };
    const exchange = pool.send(request, handler);
    const timer = setTimeout(
      () => giveUp(new HttpFault('closed', `no response within ${options.timeoutMs} ms`)),
      options.timeoutMs,
    );

    function giveUp(fault: HttpFault): void {
      clearTimeout(timer);
      exchange.destroy();
      pool.close();
      reject(fault);
    }
  });
}
