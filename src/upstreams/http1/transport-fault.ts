/**
 * Where an exchange broke: while connecting, because the other side closed, because it spoke bad HTTP, for want of
 * something of our own, or because whoever took the response threw.
 */
export type TransportFaultReason = 'connect-timeout' | 'connect-failed' | 'closed' | 'malformed' | 'local' | 'mistake';

/** An exchange that brought no usable response. The message is for logs; it names no header and no body. */
export class TransportFault extends Error {
  readonly reason: TransportFaultReason;

  constructor(reason: TransportFaultReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'TransportFault';
    this.reason = reason;
  }
}
