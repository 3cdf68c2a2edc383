/** What the fake is asked, read completely. */
export interface FakeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The body as JSON once it has been read as such. */
  json: Record<string, unknown>;
}

/** What the fake will say; faults change it before it goes out. */
export interface FakeGatewayReply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function jsonReply(status: number, body: unknown): FakeGatewayReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** An error in the contract's envelope; the id stands in for the header that is added when it goes out. */
export function errorReply(status: number, code: string, type: string, text: string): FakeGatewayReply {
  const param = type === 'upstream_error' ? { param: '' } : {};
  return jsonReply(status, { error: { code, message: `${text} (request id: ID)`, type, ...param } });
}

export function streamReply(chunks: readonly unknown[], terminator = 'data: [DONE]\n\n'): FakeGatewayReply {
  const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('') + terminator;
  return { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body };
}
