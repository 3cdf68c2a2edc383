import type { ReplyEnding, ReplyForm, StoredError } from '../../../platform/cluster/reply-claims.ts';
import { caseOf, GatewayError } from 'chat-formats/gateway-error.ts';
import type { EventStreamWriter } from '../../http/exchange.ts';
import { RelayedReply, type RelayParts } from './relayed-reply.ts';
import type { ReplyTarget } from './reply-reader.ts';
import type { SharedReply } from './shared-reply.ts';

/** While other processes read it, this reply is one of its own readers and writes itself to the store. */
export class ClaimedReply extends RelayedReply implements ReplyTarget, EventStreamWriter {
  readonly reply: SharedReply;
  complete: { readonly text: string; readonly form: ReplyForm } | undefined;
  isRecorded = false;
  /** Its client has received the end, but the store has not recorded it. */
  isOver = false;
  /** Characters that it already has when it starts to read. */
  #skip = 0;
  #ending: ReplyEnding | undefined;

  constructor(reply: SharedReply, parts: RelayParts) {
    super(reply.request.id, parts);
    this.reply = reply;
  }

  get isEnded(): boolean {
    return this.#ending !== undefined;
  }

  async conclude(): Promise<void> {
    await this.stop();
    await this.flush(this.#ending);
  }

  /** Writes the missing part of a complete reply and its ending. May be repeated after a failure. */
  async record(): Promise<void> {
    if (!this.complete) return;
    const { text, form } = this.complete;
    this.#ending = form;
    await this.stop();
    this.pending = text.slice(this.written);
    await this.flush(form);
    this.isRecorded = true;
    this.complete = undefined;
  }

  /** A stream with a content type has bytes, which are not relayed. */
  openEventStream(contentType?: string): EventStreamWriter {
    if (contentType !== undefined) this.leave();
    return this;
  }

  override write(frames: string): boolean {
    return super.write(this.#unseen(frames));
  }

  end(lastFrames = ''): void {
    this.#endWith(lastFrames, { kind: 'stream' });
  }

  breakOff(lastFrames: string, error: unknown): void {
    this.#endWith(lastFrames, { kind: 'broken', ...errorRecord(error) });
  }

  /** Bytes are not relayed. */
  send(status: number, contentType: string, body: string | Buffer, headers?: readonly string[]): void {
    if (typeof body === 'string') this.#endWith(body, { kind: 'body', status, contentType, headers });
  }

  fail(error: unknown): void {
    this.#endWith('', { kind: 'failed', ...errorRecord(error) });
  }

  protected lengthOf(text: string): number {
    return text.length;
  }

  protected follow(position: number): void {
    this.#skip = position;
    void this.reply.follow(this, () => {});
  }

  #endWith(lastText: string, ending: ReplyEnding): void {
    if (this.gone.aborted) return;
    this.pending += this.#unseen(lastText);
    this.#ending ??= ending;
    void this.stop();
  }

  #unseen(text: string): string {
    if (this.isEnded || this.gone.aborted) return '';
    const skipped = Math.min(this.#skip, text.length);
    this.#skip -= skipped;
    return text.slice(skipped);
  }
}

function errorRecord(error: unknown): StoredError {
  const known = error instanceof GatewayError ? error : undefined;
  return {
    case: caseOf(error),
    detail: known?.detail,
    code: known?.code,
    details: known?.details,
    overflow: known?.overflow,
  };
}
