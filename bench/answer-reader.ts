/** Parses one HTTP answer without keeping its bytes, so that a load of thousands of streams stays cheap. */
export class AnswerReader {
  status = 0;
  keepAlive = true;
  private head = '';
  private stage: ReadStage = 'head';
  private sizeDigits = '';
  private remaining = 0;
  private tail = '';

  /** Returns whether these bytes complete the answer. */
  push(bytes: Buffer): boolean {
    let at = this.stage === 'head' ? this.readHead(bytes) : 0;
    while (at < bytes.length && this.stage !== 'end') {
      if (this.stage === 'size') at = this.readSize(bytes, at);
      else at = this.readCounted(bytes, at);
    }
    return this.stage === 'end';
  }

  /** Whether body bytes have arrived. */
  get begun(): boolean {
    return this.tail !== '';
  }

  /** The fault of a completed answer, if it has one. */
  get fault(): string | undefined {
    if (this.status !== 200) return `status ${this.status}: …${this.tail}`;
    return this.tail.endsWith(endMark) ? undefined : `an answer without [DONE]: …${this.tail}`;
  }

  private readHead(bytes: Buffer): number {
    const before = this.head.length;
    this.head += bytes.toString('latin1');
    const end = this.head.indexOf('\r\n\r\n');
    if (end < 0) return bytes.length;
    const head = this.head.slice(0, end);
    this.status = Number(head.slice(9, 12));
    this.keepAlive = !/\r\nconnection: *close/i.test(head);
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.stage = 'size';
    } else {
      this.remaining = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      this.stage = this.remaining === 0 ? 'end' : 'body';
    }
    return end + 4 - before;
  }

  /** Reads a chunk's size line. An extension after `;` is not expected here and counts as a bad size. */
  private readSize(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(lineFeed, from);
    this.sizeDigits += bytes.toString('latin1', from, end < 0 ? bytes.length : end);
    if (end < 0) return bytes.length;
    this.remaining = Number.parseInt(this.sizeDigits, 16);
    this.stage = this.remaining > 0 ? 'chunk' : 'last-break';
    if (this.remaining === 0) this.remaining = 2;
    this.sizeDigits = '';
    return end + 1;
  }

  private readCounted(bytes: Buffer, from: number): number {
    const to = Math.min(from + this.remaining, bytes.length);
    this.remaining -= to - from;
    if (this.stage === 'chunk' || this.stage === 'body') this.noteTail(bytes, from, to);
    if (this.remaining === 0) this.leaveCounted();
    return to;
  }

  private noteTail(bytes: Buffer, from: number, to: number): void {
    const latest = bytes.toString('latin1', Math.max(from, to - tailLength), to);
    this.tail = latest.length >= tailLength ? latest : (this.tail + latest).slice(-tailLength);
  }

  private leaveCounted(): void {
    if (this.stage === 'chunk') {
      this.stage = 'chunk-break';
      this.remaining = 2;
    } else {
      this.stage = this.stage === 'chunk-break' ? 'size' : 'end';
    }
  }
}

type ReadStage = 'head' | 'size' | 'chunk' | 'chunk-break' | 'last-break' | 'body' | 'end';

const lineFeed = 0x0a;
const endMark = 'data: [DONE]\n\n';
const tailLength = 120;
