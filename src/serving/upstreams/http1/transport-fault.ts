/** `local`: this machine lacked a resource. `handler-error`: the response handler threw. */
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
