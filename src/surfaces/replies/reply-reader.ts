import type { EventStreamWriter } from '../../http/exchange.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ReplyTarget } from './reply-target.ts';

/** One client of a shared reply: its position, whether it keeps up, and how the reply ended for it. */
export class ReplyReader {
  readonly over: Promise<ReplyEnd>;
  /** Number of pieces sent to it. */
  next: number;
  /** It reads too slowly: the next piece waits for a drain. */
  isBehind = false;
  /** Content type, if not an event stream. */
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

  /** Calls back when the client leaves, immediately if it already has. */
  onGone(callback: () => void): void {
    if (this.isGone) callback();
    else this.#exchange.gone.addEventListener('abort', callback, { once: true });
  }

  onCaughtUp(callback: () => void): void {
    this.#onCaughtUp = callback;
  }

  /** Used if the client has not yet drained earlier writes. */
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

  /** Closes the connection, because its answer cannot be completed. */
  cut(): void {
    this.#writer?.destroy();
  }

  /** An error of this client only. Sends it if possible. */
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
