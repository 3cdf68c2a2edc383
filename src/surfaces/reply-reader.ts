import type { EventStreamWriter } from '../http/exchange.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ReplyTarget } from './reply-target.ts';

/** One client of a reply that several may read: where it is, whether it keeps up, and how it ended for it. */
export class ReplyReader {
  readonly over: Promise<ReplyEnd>;
  /** Pieces it has been sent. */
  next: number;
  /** It reads slower than it is sent to: the next piece waits until it has caught up. */
  isBehind = false;
  /** What kind of bytes it is sent, if not events. */
  contentType: string | undefined;
  readonly #exchange: ReplyTarget;
  readonly #onFirstByte: () => void;
  #resolve: (end: ReplyEnd) => void = () => {};
  #onCaughtUp: () => void = () => {};
  #writer: EventStreamWriter | undefined;

  constructor(exchange: ReplyTarget, onFirstByte: () => void, sentBefore = 0) {
    this.#exchange = exchange;
    this.next = sentBefore;
    this.#onFirstByte = onFirstByte;
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isGone(): boolean {
    return this.#exchange.gone.aborted;
  }

  /** Calls back when the client leaves, at once if it has. */
  onGone(callback: () => void): void {
    if (this.isGone) callback();
    else this.#exchange.gone.addEventListener('abort', callback, { once: true });
  }

  onCaughtUp(callback: () => void): void {
    this.#onCaughtUp = callback;
  }

  /** It was written to before it came here, and has not taken all of that yet. */
  waitForDrain(): void {
    this.isBehind = true;
    this.#open();
  }

  write(frames: string, pieces: number): void {
    this.next += pieces;
    this.isBehind = !this.#open().write(frames);
  }

  end(frames: string): void {
    this.#open().end(frames);
  }

  endBroken(frames: string, error: unknown): void {
    this.#open().breakOff(frames, error);
  }

  send(status: number, contentType: string, body: string): void {
    this.#onFirstByte();
    this.#exchange.send(status, contentType, body);
  }

  fail(error: unknown): void {
    this.#exchange.fail(error);
  }

  /** Cuts the connection: what it has seen cannot be completed any more. */
  cut(): void {
    this.#writer?.destroy();
  }

  /** Something went wrong with this client alone: it hears of it as far as that is possible. */
  breakOff(error: unknown): void {
    try {
      this.fail(error);
    } catch {
      this.cut();
    }
    this.close({ error, isCommitted: this.next > 0 });
  }

  close({ error, isCommitted }: Omit<ReplyEnd, 'isClientGone'>): void {
    this.#resolve({ error, isCommitted, isClientGone: this.isGone });
  }

  #open(): EventStreamWriter {
    if (this.#writer) return this.#writer;
    this.#onFirstByte();
    this.#writer = this.#exchange.openEventStream(this.contentType);
    this.#writer.onDrain(() => {
      this.isBehind = false;
      this.#onCaughtUp();
    });
    return this.#writer;
  }
}
