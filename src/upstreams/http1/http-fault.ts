/**
 * Where an exchange broke: while connecting, because the other side closed, because it spoke bad HTTP, for want of
 * something of our own, or because whoever took the response threw.
 */
export type HttpFaultReason = 'connect-timeout' | 'connect-failed' | 'closed' | 'malformed' | 'local' | 'mistake';

/** An exchange that brought no usable response. The message is for logs; it names no header and no body. */
export class HttpFault extends Error {
  readonly reason: HttpFaultReason;

  constructor(reason: HttpFaultReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'HttpFault';
    this.reason = reason;
  }
}
