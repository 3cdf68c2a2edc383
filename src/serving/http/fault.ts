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

/** The request line of bytes that Node's parser rejected, if it can be read. */
export interface RequestLine {
  readonly method: string;
  readonly target: string;
}

export function requestLineOf(error: ParserError): RequestLine | undefined {
  const line = /^([!#$%&'*+.^_`|~\w-]{1,32}) (\S{1,2048}) HTTP\/1\.[01]\r\n/.exec(
    error.rawPacket?.toString('latin1', 0, 2200) ?? '',
  );
  return line?.[1] === undefined || line[2] === undefined ? undefined : { method: line[1], target: line[2] };
}

export interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** The fault for bytes that are not a valid request. Undefined if the connection itself broke: no reply can arrive. */
export function parserFault(error: ParserError): HttpFault | undefined {
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpFault('request-timeout');
    case 'HPE_HEADER_OVERFLOW':
      return new HttpFault('headers-too-large');
    case 'HPE_INVALID_EOF_STATE':
      return new HttpFault('bad-request', 'The connection ended before the complete request arrived.');
    default:
      return error.code?.startsWith('HPE_') ? new HttpFault('bad-request') : undefined;
  }
}
