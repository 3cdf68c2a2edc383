import type { ReplyClaims, ReplyEnding, StoredError, CompleteEnding } from '../../cluster/reply-claims.ts';
import type { Clock } from '../../core/clock.ts';
import { caseOf, GatewayError } from '../../core/gateway-error.ts';
import type { EventStreamWriter } from '../../http/exchange.ts';
import type { ReplyTarget } from './reply-target.ts';

export interface RelayParts {
  /** Id of the claim. */
  readonly id: string;
  readonly clock: Clock;
  readonly claims: Pick<ReplyClaims, 'tell'>;
  readonly seal: (text: string) => string;
  /** Characters of the reply that the store already has. */
  readonly from: number;
}

/** Above this many pending characters, the relay applies backpressure. */
const pendingMax = 256 * 1024;
/** Minimum interval between writes. Remote readers do not poll more often. */
const writeEveryMs = 150;

/**
 * A reader of a reply on behalf of all remote readers: it writes the reply to the store. A complete reply is recorded
 * before its end goes out. If a reply broke off, `conclude` writes its end.
 */
export class RelayedReply implements ReplyTarget, EventStreamWriter {
  readonly #parts: RelayParts;
  readonly #leaving = new AbortController();
  #skip: number;
  #written: number;
  #pending = '';
  #ending: ReplyEnding | undefined;
  #writing: Promise<void> | undefined;
  #isBehind = false;
  #onDrain: () => void = () => {};
  /** Ends the interval between two writes early. */
  #wake: () => void = () => {};

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#skip = parts.from;
    this.#written = parts.from;
  }

  /** Aborts when there is no remote reader any more, or a write to the store fails. */
  get gone(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Characters that are certainly in the store. */
  get written(): number {
    return this.#written;
  }

  /** Whether the end of the reply is known. */
  get isEnded(): boolean {
    return this.#ending !== undefined;
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** Writes the rest of the reply and its ending. */
  async conclude(): Promise<void> {
    await this.#writing;
    await this.#flush(this.#ending);
  }

  /** Writes the missing part of a complete reply and its ending. May be retried after a failure. */
  async record(whole: string, ending: CompleteEnding): Promise<void> {
    this.#ending = ending;
    this.#wake();
    await this.#writing;
    this.#pending = whole.slice(this.#written);
    await this.#flush(ending);
  }

  openEventStream(): EventStreamWriter {
    return this;
  }

  write(frames: string): boolean {
    this.#take(frames);
    this.#writing ??= this.#keepWriting();
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

  send(status: number, contentType: string, body: string): void {
    this.#endWith(body, { kind: 'body', status, contentType });
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
    this.#ending ??= ending;
  }

  #take(text: string): void {
    if (this.isEnded) return;
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
      // A new relay continues after the last character in the store.
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
    const { id, claims, seal } = this.#parts;
    const text = this.#pending;
    const piece = { start: this.#written, length: text.length, sealed: seal(text) };
    await claims.tell(id, text === '' ? undefined : piece, ending);
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
