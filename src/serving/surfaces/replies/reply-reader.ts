import type { ReplyForm } from '../../../platform/cluster/reply-claims.ts';
import type { EventStreamWriter, Exchange } from '../../http/exchange.ts';

export interface ReplyEnd {
  readonly error: unknown;
  readonly isClientGone: boolean;
  /** Whether status 200 was sent; otherwise the error had its own status. */
  readonly isCommitted: boolean;
}

/** The side of a reader that receives the reply: a client's exchange, or the relay to other processes. */
export type ReplyTarget = Pick<Exchange, 'gone' | 'fail' | 'openEventStream' | 'send'>;

/** The header of a complete reply whose client gets its charge. */
export function costHeaders(cost: string): readonly string[] {
  return ['x-gateway-cost', cost];
}

/** One reader of a shared reply: its position, whether it keeps up, and how the reply ended for it. */
export class ReplyReader {
  readonly over: Promise<ReplyEnd>;
  next = 0;
  /** It reads too slowly: the next piece waits for a drain. */
  isBehind = false;
  form: ReplyForm;
  onCaughtUp: () => void = () => {};
  readonly #target: ReplyTarget;
  readonly #onFirstByte: () => void;
  readonly #resolve: (end: ReplyEnd) => void;
  #writer: EventStreamWriter | undefined;

  constructor(target: ReplyTarget, form: ReplyForm, onFirstByte: () => void) {
    this.#target = target;
    this.form = form;
    this.#onFirstByte = onFirstByte;
    const { promise, resolve } = Promise.withResolvers<ReplyEnd>();
    this.over = promise;
    this.#resolve = resolve;
  }

  /** Calls back when the client leaves, immediately if it already has. */
  onGone(callback: () => void): void {
    const { gone } = this.#target;
    if (gone.aborted) callback();
    else gone.addEventListener('abort', callback, { once: true });
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

  /** Sends the last frames, or the body if the reply is one body. */
  end(text: string): void {
    if (this.form.kind === 'stream') return this.#open().end(text);
    const { status, contentType, isBytes, headers } = this.form;
    this.#onFirstByte();
    this.#target.send(status, contentType, isBytes ? Buffer.from(text, 'latin1') : text, headers);
  }

  breakOff(lastFrames: string, error: unknown): void {
    this.#open().breakOff(lastFrames, error);
  }

  fail(error: unknown): void {
    this.#target.fail(error);
  }

  /** Closes the connection, because its answer cannot be completed. */
  cut(): void {
    this.#writer?.destroy();
  }

  /** An error of this reader only. Sends it if possible. */
  drop(error: unknown): void {
    try {
      this.fail(error);
    } catch {
      this.cut();
    }
    this.close({ error, isCommitted: this.next > 0 });
  }

  close({ error, isCommitted }: Omit<ReplyEnd, 'isClientGone'>): void {
    this.#resolve({ error, isCommitted, isClientGone: this.#target.gone.aborted });
  }

  #open(): EventStreamWriter {
    if (this.#writer) return this.#writer;
    this.#onFirstByte();
    this.#writer = this.#target.openEventStream(this.form.kind === 'stream' ? this.form.contentType : undefined);
    this.#writer.onDrain(() => {
      this.isBehind = false;
      this.onCaughtUp();
    });
    return this.#writer;
  }
}
