/** Reasons to reject a request before its route handles it. */
export type HttpFaultKind =
  | 'bad-request'
  | 'not-found'
  | 'method-not-allowed'
  | 'request-timeout'
  | 'body-too-large'
  | 'expectation-failed'
  | 'headers-too-large'
  | 'upgrade-refused'
  | 'unparseable-body'
  | 'invalid-request'
  | 'overloaded';

/** A request that the HTTP layer rejects. */
export class HttpFault extends Error {
  readonly kind: HttpFaultKind;
  /** Text for the client: what is wrong and what to do. Never contains anything that the client sent. */
  readonly detail: string | undefined;
  /** Headers that the status requires (`Allow` with 405), as a flat list of names and values. */
  readonly headers: readonly string[] | undefined;

  constructor(kind: HttpFaultKind, detail?: string, headers?: readonly string[]) {
    super(detail ?? kind);
    this.name = 'HttpFault';
    this.kind = kind;
    this.detail = detail;
    this.headers = headers;
  }
}
