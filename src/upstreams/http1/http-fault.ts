/**
 * Where an exchange broke: while connecting, because the other side closed, because it spoke bad HTTP, or for want of
 * something of our own.
 */
export type HttpFaultReason = 'connect-timeout' | 'connect-failed' | 'closed' | 'malformed' | 'local';

/** An exchange that brought no usable response. The message is for logs; it names no header and no body. */
export class HttpFault extends Error {
  readonly reason: HttpFaultReason;

  constructor(reason: HttpFaultReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'HttpFault';
    this.reason = reason;
  }
}
