/**
 * Why an exchange failed: while connecting, because the other side closed or sent invalid HTTP, because this machine
 * lacked a resource (`local`), or because the response handler threw (`handler-error`).
 */
export type TransportFaultReason =
  | 'connect-timeout'
  | 'connect-failed'
  | 'closed'
  | 'malformed'
  | 'local'
  | 'handler-error';

/** An exchange without a usable response. The message is for logs and contains no header and no body. */
export class TransportFault extends Error {
  readonly reason: TransportFaultReason;

  constructor(reason: TransportFaultReason, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = 'TransportFault';
    this.reason = reason;
  }
}
