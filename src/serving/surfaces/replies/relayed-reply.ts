import type { ReplyClaims, ReplyEnding } from '../../../platform/cluster/reply-claims.ts';
import type { Clock } from '../../../core/time/clock.ts';

export interface RelayParts {
  readonly clock: Clock;
  readonly claims: Pick<ReplyClaims, 'tell'>;
  readonly seal: (text: string) => string;
}

/** Above this many pending characters, the relay applies backpressure. */
const pendingMax = 256 * 1024;
/** Minimum interval between writes. Remote readers do not poll more often. */
const writeEveryMs = 150;

/** A reply that writes itself to the store in pieces while other processes read it. */
export abstract class RelayedReply {
  /** The id of its claim. */
  protected readonly id: string;
  protected pending = '';
  protected written = 0;
  readonly #parts: RelayParts;
  /** Aborts when there is no remote reader any more, or a write to the store fails. */
  #leaving: AbortController | undefined;
  #writing: Promise<void> | undefined;
  #isStopped = false;
  #isBehind = false;
  #onDrain: () => void = () => {};
  /** Ends the interval between two writes early. */
  #wake: () => void = () => {};

  constructor(id: string, parts: RelayParts) {
    this.id = id;
    this.#parts = parts;
  }

  /** The length of a text in the unit of its remote readers. */
  protected abstract lengthOf(text: string): number;

  /** Reads the reply from a position on, until `gone` aborts. */
  protected abstract follow(position: number): void;

  get gone(): AbortSignal {
    return this.#leaving?.signal ?? AbortSignal.abort();
  }

  /** Another process reads it: writes it to the store from now on. */
  relay(): void {
    if (!this.gone.aborted) return;
    this.#leaving = new AbortController();
    this.follow(this.written + this.lengthOf(this.pending));
  }

  leave(): void {
    this.#leaving?.abort();
  }

  write(text: string): boolean {
    if (!this.gone.aborted) this.pending += text;
    if (this.pending !== '' && !this.#isStopped) this.#writing ??= this.#keepWriting();
    this.#isBehind = this.pending.length >= pendingMax;
    return !this.#isBehind;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  /** It cannot keep up: the relay stops. */
  destroy(): void {
    this.leave();
  }

  /** Resolves when the last write is done. The rest is written by `flush`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#writing;
  }

  protected async flush(ending: ReplyEnding | undefined): Promise<void> {
    const { claims, seal } = this.#parts;
    const text = this.pending;
    const length = this.lengthOf(text);
    const piece = length === 0 ? undefined : { start: this.written, length, sealed: seal(text) };
    if (piece || ending) await claims.tell(this.id, piece, ending);
    this.pending = this.pending.slice(text.length);
    this.written += length;
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.#onDrain();
  }

  /** One write at a time, each with everything that arrived meanwhile. */
  async #keepWriting(): Promise<void> {
    try {
      while (this.pending !== '' && !this.#isStopped) {
        await this.flush(undefined);
        await this.#pause();
      }
    } catch {
      // If it is read again, it continues after the last text in the store.
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
    if (!this.#isStopped) await promise;
    this.#wake();
  }
}
