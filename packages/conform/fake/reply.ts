/** A complete request to the fake gateway. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The parsed body; empty until it is parsed. */
  json: Record<string, unknown>;
}

/** A reply of the fake gateway. Faults change it before it is sent. */
export interface FakeGatewayReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function jsonReply(status: number, body: unknown): FakeGatewayReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** An error in the contract's envelope. `ID` is replaced with the request id when it is sent. */
export function errorReply(status: number, code: string, type: string, text: string): FakeGatewayReply {
  const param = type === 'upstream_error' ? { param: '' } : {};
  return jsonReply(status, { error: { code, message: `${text} (request id: ID)`, type, ...param } });
}

export function streamReply(chunks: readonly unknown[], terminator = 'data: [DONE]\n\n'): FakeGatewayReply {
  const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('') + terminator;
  return { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body };
}
