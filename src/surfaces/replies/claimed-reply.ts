import type { ReplyClaims, ReplyEnding, ReplyForm, StoredError } from '../../cluster/reply-claims.ts';
import type { Clock } from '../../core/time/clock.ts';
import { caseOf, GatewayError } from '../../core/gateway-error.ts';
import type { EventStreamWriter } from '../../http/exchange.ts';
import type { ReplyTarget } from './reply-reader.ts';
import type { SharedReply } from './shared-reply.ts';

interface ClaimedReplyParts {
  readonly reply: SharedReply;
  readonly clock: Clock;
  readonly claims: Pick<ReplyClaims, 'tell'>;
  readonly seal: (text: string) => string;
}

/** Above this many pending characters, the relay applies backpressure. */
const pendingMax = 256 * 1024;
/** Minimum interval between writes. Remote readers do not poll more often. */
const writeEveryMs = 150;

/** While other processes read it, this reply is one of its own readers and writes itself to the store. */
export class ClaimedReply implements ReplyTarget, EventStreamWriter {
  readonly reply: SharedReply;
  complete: { readonly text: string; readonly form: ReplyForm } | undefined;
  isRecorded = false;
  /** Its client has received the end, but the store has not recorded it. */
  isOver = false;
  readonly #parts: ClaimedReplyParts;
  /** Aborts when there is no remote reader any more, or a write to the store fails. */
  #leaving: AbortController | undefined;
  /** Characters that it already has when it starts to read. */
  #skip = 0;
  #written = 0;
  #pending = '';
  #ending: ReplyEnding | undefined;
  #writing: Promise<void> | undefined;
  #isBehind = false;
  #onDrain: () => void = () => {};
  /** Ends the interval between two writes early. */
  #wake: () => void = () => {};

  constructor(parts: ClaimedReplyParts) {
    this.#parts = parts;
    this.reply = parts.reply;
  }

  get gone(): AbortSignal {
    return this.#leaving?.signal ?? AbortSignal.abort();
  }

  get isEnded(): boolean {
    return this.#ending !== undefined;
  }

  /** Another process reads it: writes it to the store from now on. */
  relay(): void {
    if (!this.gone.aborted) return;
    this.#leaving = new AbortController();
    this.#skip = this.#written + this.#pending.length;
    void this.reply.follow(this, () => {});
  }

  leave(): void {
    this.#leaving?.abort();
  }

  async conclude(): Promise<void> {
    await this.#writing;
    await this.#flush(this.#ending);
  }

  /** Writes the missing part of a complete reply and its ending. May be repeated after a failure. */
  async record(): Promise<void> {
    if (!this.complete) return;
    const { text, form } = this.complete;
    this.#ending = form;
    this.#wake();
    await this.#writing;
    this.#pending = text.slice(this.#written);
    await this.#flush(form);
    this.isRecorded = true;
    this.complete = undefined;
  }

  /** A stream with a content type has bytes, which are not relayed. */
  openEventStream(contentType?: string): EventStreamWriter {
    if (contentType !== undefined) this.leave();
    return this;
  }

  write(frames: string): boolean {
    this.#take(frames);
    if (this.#pending !== '') this.#writing ??= this.#keepWriting();
    this.#isBehind = this.#pending.length >= pendingMax;
    return !this.#isBehind;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
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

  /** It cannot keep up: the relay stops. */
  destroy(): void {
    this.leave();
  }

  #endWith(lastText: string, ending: ReplyEnding): void {
    this.#take(lastText);
    if (!this.gone.aborted) this.#ending ??= ending;
  }

  #take(text: string): void {
    if (this.isEnded || this.gone.aborted) return;
    const skipped = Math.min(this.#skip, text.length);
    this.#skip -= skipped;
    this.#pending += text.slice(skipped);
  }

  /** One write at a time, each with everything that arrived meanwhile. */
  async #keepWriting(): Promise<void> {
    try {
      while (this.#pending !== '' && !this.isEnded) {
        await this.#flush(undefined);
        await this.#pause();
      }
    } catch {
      // If it is read again, it continues after the last character in the store.
      this.leave();
    }
    this.#writing = undefined;
  }

  async #pause(): Promise<void> {
    const { clock } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.after(writeEveryMs, resolve);
    this.#wake = () => {
      clock.cancel(timer);
      resolve();
    };
    if (!this.isEnded) await promise;
    this.#wake();
  }

  async #flush(ending: ReplyEnding | undefined): Promise<void> {
    const { claims, seal } = this.#parts;
    const text = this.#pending;
    const piece = { start: this.#written, length: text.length, sealed: seal(text) };
    await claims.tell(this.reply.request.id, text === '' ? undefined : piece, ending);
    this.#pending = this.#pending.slice(text.length);
    this.#written += text.length;
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.#onDrain();
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
