import { assert } from 'chat-formats/assert.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Exchange, SimpleExchange, SimpleStreamWriter } from '../http/exchange.ts';
import type { SessionReply } from '../surfaces/answer-session.ts';
import type { JoinableReply, ReplayBuffer } from '../surfaces/replies/replays.ts';
import type { ReplyEnd } from '../surfaces/replies/reply-reader.ts';
import { SharedReply } from '../surfaces/replies/shared-reply.ts';
import type { ServedRequest } from '../surfaces/served-request.ts';

/**
 * Writes the reply of the fast path, as Latin-1 strings with one character per byte: to the client's socket, or to a
 * shared reply once a retry has joined. For clients that may retry, it keeps the frames while the replay buffer has
 * space.
 */
export class FastPathReply implements SessionReply, JoinableReply {
  readonly request: ServedRequest;
  readonly #clock: Clock;
  #exchange: SimpleExchange | undefined;
  #onDrain: () => void = () => {};
  #onGone: () => void = () => {};
  #writer: SimpleStreamWriter | undefined;
  #hasBegun = false;
  /** The client reads more slowly than the gateway writes. */
  #isBehind = false;
  #buffer: ReplayBuffer | undefined;
  #isComplete = false;
  #shared: SharedReply | undefined;

  constructor(exchange: SimpleExchange, request: ServedRequest, clock: Clock) {
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
    if (this.#shared) this.#shared.onDrain(callback);
    else this.#onDrain = callback;
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
    if (this.#shared) return this.#shared.write(characters(frames));
    this.#keep(frames);
    this.#isBehind = !this.#open().writeLatin1(frames);
    return !this.#isBehind;
  }

  end(frames: string): void {
    this.#hasBegun = true;
    this.#isComplete = true;
    if (this.#shared) return this.#shared.end(characters(frames));
    this.#keep(frames);
    this.#open().endLatin1(frames);
  }

  breakOff(frames: string, errorFrame: string, error: unknown): void {
    this.forget();
    if (this.#shared) this.#shared.breakOff(characters(frames), errorFrame, error);
    else this.#open().breakOff(characters(frames) + errorFrame, error);
  }

  fail(error: unknown): void {
    (this.#shared ?? this.#exchange)?.fail(error);
  }

  destroy(error: unknown): void {
    if (this.#shared) this.#shared.destroy(error);
    else this.#writer?.destroy();
  }

  /** Ends the reply. Only a complete reply is kept for later retries. */
  close(end: ReplyEnd): void {
    if (this.#shared) return this.#shared.close(end);
    this.#release();
    if (end.error !== undefined || end.isClientGone) this.forget();
    const buffer = this.#buffer;
    // One flat string takes less memory than its pieces.
    if (buffer?.frames) buffer.frames = [Buffer.from(buffer.frames.join(''), 'latin1').toString('latin1')];
    buffer?.finish();
  }

  keepIn(buffer: ReplayBuffer): void {
    this.#buffer = buffer;
  }

  follow(exchange: Exchange, onFirstByte: () => void): Promise<ReplyEnd> {
    return this.share().follow(exchange, onFirstByte);
  }

  forget(): void {
    if (this.#shared) this.#shared.forget();
    else if (this.#buffer?.frames) this.#buffer.drop();
  }

  abandon(): void {
    if (this.#shared) this.#shared.abandon();
    else this.forget();
  }

  /** The same reply, for any number of readers. */
  share(): SharedReply {
    if (this.#shared) return this.#shared;
    const buffer = this.#buffer;
    if (buffer?.frames) buffer.frames = buffer.frames.map(characters);
    const shared = new SharedReply({
      request: this.request,
      exchange: this.#isComplete ? undefined : this.#exchange,
      clock: this.#clock,
      buffer,
      isBehind: this.#isBehind,
    });
    shared.onDrain(this.#onDrain);
    shared.gone.addEventListener('abort', this.#onGone);
    this.#shared = shared;
    this.#release();
    return shared;
  }

  /** The replay buffer keeps this object for minutes. It must not keep the client and the prompt in memory. */
  #release(): void {
    this.#exchange = undefined;
    this.#writer = undefined;
    this.#onDrain = () => {};
    this.#onGone = () => {};
  }

  #keep(frames: string): void {
    if (frames !== '' && this.#buffer?.add(frames) === false) this.forget();
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
