/** What can be wrong with a request before anyone looks at what it asks for. */
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

/** A request refused by the HTTP floor itself. */
export class HttpFault extends Error {
  readonly kind: HttpFaultKind;
  /** Public words: what is wrong and what to do. Never anything the client sent. */
  readonly detail: string | undefined;
  /** Headers the status asks for (`Allow` with 405), as a flat list of names and values. */
  readonly headers: readonly string[] | undefined;

  constructor(kind: HttpFaultKind, detail?: string, headers?: readonly string[]) {
    super(detail ?? kind);
    this.name = 'HttpFault';
    this.kind = kind;
    this.detail = detail;
    this.headers = headers;
  }
}
