/** Reads successive requests on a connection. It supports only the HTTP that the bench's proxies send. */
export class RequestReader {
  private pending = '';

  /** Returns the body of the request that these bytes complete, or undefined. */
  push(bytes: Buffer): string | undefined {
    this.pending += bytes.toString('latin1');
    const headEnd = this.pending.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const head = this.pending.slice(0, headEnd);
    const body = this.pending.slice(headEnd + 4);
    if (!isComplete(head, body)) return undefined;
    this.pending = '';
    return body;
  }
}

function isComplete(head: string, body: string): boolean {
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return body.endsWith('0\r\n\r\n');
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  return body.length >= Number(length ?? 0);
}
