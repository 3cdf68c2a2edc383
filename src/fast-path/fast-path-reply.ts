import { assert } from '../core/assert.ts';
import type { Clock } from '../core/clock.ts';
import type { Exchange, SimpleExchange, SimpleStreamWriter } from '../http/exchange.ts';
import type { ReplyEnd } from '../surfaces/replies/reply-end.ts';
import type { ServedRequest } from '../surfaces/served-request.ts';
import type { ReplayBuffer } from '../surfaces/replies/joinable-reply.ts';
import { SharedReply } from '../surfaces/replies/shared-reply.ts';

/**
 * Writes the reply of the fast path, as Latin-1 strings with one character per byte: to the client's socket, or to a
 * shared reply once a retry has joined. For clients that may retry, it keeps the frames while the replay buffer has
 * space.
 */
export class FastPathReply {
  readonly request: ServedRequest;
  readonly #id: string;
  #exchange: SimpleExchange | undefined;
  readonly #clock: Clock;
  #onDrain: () => void = () => {};
  #onGone: () => void = () => {};
  #writer: SimpleStreamWriter | undefined;
  #hasBegun = false;
  /** The client reads more slowly than the gateway writes. */
  #isBehind = false;
  #replayBuffer: ReplayBuffer | undefined;
  #frames: string[] | undefined;
  #isComplete = false;
  #shared: SharedReply | undefined;

  constructor(exchange: SimpleExchange, request: ServedRequest, clock: Clock) {
    this.#id = exchange.id;
    this.#exchange = exchange;
    this.request = request;
    this.#clock = clock;
  }

  /** Whether any frame was written. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get hasReaders(): boolean {
    return this.#shared ? this.#shared.hasReaders : !this.#isComplete;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  /** Calls back when the last reader has left. */
  onGone(callback: () => void): void {
    this.#onGone = callback;
    this.#exchange?.onGone(() => {
      // Retries that joined continue to read.
      if (!this.#shared) callback();
    });
  }

  write(frames: string): boolean {
    this.#hasBegun = true;
    this.#keepFrames(frames);
    if (this.#shared) return this.#shared.write(characters(frames));
    this.#isBehind = !this.#open().writeLatin1(frames);
    return !this.#isBehind;
  }

  end(frames: string): void {
    this.#hasBegun = true;
    this.#keepFrames(frames);
    this.#isComplete = true;
    if (this.#shared) this.#shared.end(characters(frames));
    else this.#open().endLatin1(frames);
  }

  /** Ends the reply with the unwritten frames and an error frame. */
  breakOff(frames: string, errorFrame: string, error: unknown): void {
    this.forget();
    const writer = this.#shared ?? this.#open();
    writer.breakOff(characters(frames) + errorFrame, error);
  }

  /** Sends the error to every reader. Only before the first frame. */
  fail(error: unknown): void {
    (this.#shared ?? this.#exchange)?.fail(error);
  }

  destroy(): void {
    (this.#shared ?? this.#writer)?.destroy();
  }

  /** Ends the reply. Only a complete reply is kept for later retries. */
  close(end: ReplyEnd): void {
    this.#onDrain = () => {};
    this.#onGone = () => {};
    if (this.#shared) return this.#shared.close(end);
    // The replay buffer keeps the frames for minutes: store them as one flat string and release everything else.
    this.#exchange = undefined;
    this.#writer = undefined;
    if (end.error !== undefined || end.isClientGone) return this.forget();
    if (!this.#frames) return;
    this.#frames = [Buffer.from(this.#frames.join(''), 'latin1').toString('latin1')];
    this.#replayBuffer?.finish();
  }

  /** Keeps all frames from now on. */
  keepOn(replayBuffer: ReplayBuffer): void {
    this.#replayBuffer = replayBuffer;
    this.#frames = [];
  }

  follow(exchange: Exchange, onFirstByte: () => void): Promise<ReplyEnd> {
    return this.share().follow(exchange, onFirstByte);
  }

  forget(): void {
    if (this.#shared) return this.#shared.forget();
    if (!this.#frames) return;
    this.#frames = undefined;
    this.#replayBuffer?.clear();
  }

  abandon(): void {
    if (this.#shared) this.#shared.abandon();
    else this.forget();
  }

  /** The same reply, for any number of readers. */
  share(): SharedReply {
    if (this.#shared) return this.#shared;
    const shared = new SharedReply({
      id: this.#id,
      exchange: this.#isComplete ? undefined : this.#exchange,
      request: this.request,
      // Only a client that sent an idempotency key is sure to find the reply again.
      lingerMs: 0,
      clock: this.#clock,
      said: this.#frames?.map(characters),
      isBehind: this.#isBehind,
      replayBuffer: this.#replayBuffer,
    });
    shared.onDrain(() => this.#onDrain());
    shared.gone.addEventListener('abort', () => this.#onGone());
    this.#frames = undefined;
    this.#shared = shared;
    return shared;
  }

  #keepFrames(frames: string): void {
    if (!this.#frames || frames === '') return;
    if (this.#replayBuffer?.take(frames.length)) this.#frames.push(frames);
    else this.forget();
  }

  #open(): SimpleStreamWriter {
    if (this.#writer) return this.#writer;
    assert(this.#exchange !== undefined, 'no frame is written after the end');
    this.#writer = this.#exchange.openEventStream();
    this.#writer.onDrain(() => {
      this.#isBehind = false;
      this.#onDrain();
    });
    return this.#writer;
  }
}

function characters(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
