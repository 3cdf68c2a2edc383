import { assert } from '../core/assert.ts';
import type { Clock } from '../core/clock.ts';
import type { Exchange, SimpleExchange, SimpleStreamWriter } from '../http/exchange.ts';
import type { ReplyEnd } from '../surfaces/reply-end.ts';
import type { ServedRequest } from '../surfaces/served-request.ts';
import type { ReplayBuffer } from '../surfaces/joinable-reply.ts';
import { SharedReply } from '../surfaces/shared-reply.ts';

/**
 * Where the bytes for the client of a fast path go, one character each: to its socket, or to a shared reply once a retry has
 * joined. For clients that may retry they are kept as long as there is room.
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
  /** Its client reads slower than it is written. */
  #isBehind = false;
  #replayBuffer: ReplayBuffer | undefined;
  #said: string[] | undefined;
  #isComplete = false;
  #shared: SharedReply | undefined;

  constructor(exchange: SimpleExchange, request: ServedRequest, clock: Clock) {
    this.#id = exchange.id;
    this.#exchange = exchange;
    this.request = request;
    this.#clock = clock;
  }

  /** Whether something of it went out. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  get hasReaders(): boolean {
    return this.#shared ? this.#shared.hasReaders : !this.#isComplete;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  /** Calls back when nobody is there any more who wants it. */
  onGone(callback: () => void): void {
    this.#onGone = callback;
    this.#exchange?.onGone(() => {
      // Those who joined go on reading.
      if (!this.#shared) callback();
    });
  }

  write(frames: string): boolean {
    this.#hasBegun = true;
    this.#keep(frames);
    if (this.#shared) return this.#shared.write(characters(frames));
    this.#isBehind = !this.#open().writeLatin1(frames);
    return !this.#isBehind;
  }

  end(frames: string): void {
    this.#hasBegun = true;
    this.#keep(frames);
    this.#isComplete = true;
    if (this.#shared) this.#shared.end(characters(frames));
    else this.#open().endLatin1(frames);
  }

  /** Ends with what was not yet said, and words of why there is no more. */
  breakOff(frames: string, lastWords: string, error: unknown): void {
    this.forget();
    const writer = this.#shared ?? this.#open();
    writer.breakOff(characters(frames) + lastWords, error);
  }

  /** Nothing of it went out: all who wait for it are told why. */
  fail(error: unknown): void {
    (this.#shared ?? this.#exchange)?.fail(error);
  }

  destroy(): void {
    (this.#shared ?? this.#writer)?.destroy();
  }

  /** Nothing more will be said. Only what is whole is kept for those who may still come. */
  close(end: ReplyEnd): void {
    this.#onDrain = () => {};
    this.#onGone = () => {};
    if (this.#shared) return this.#shared.close(end);
    // What is kept for minutes is the words, in one piece, and nothing of where they came from and went to.
    this.#exchange = undefined;
    this.#writer = undefined;
    if (end.error !== undefined || end.isClientGone) return this.forget();
    if (!this.#said) return;
    this.#said = [Buffer.from(this.#said.join(''), 'latin1').toString('latin1')];
    this.#replayBuffer?.finish();
  }

  /** From now on what is said is kept. */
  keepOn(replayBuffer: ReplayBuffer): void {
    this.#replayBuffer = replayBuffer;
    this.#said = [];
  }

  follow(exchange: Exchange, onFirstByte: () => void): Promise<ReplyEnd> {
    return this.share().follow(exchange, onFirstByte);
  }

  forget(): void {
    if (this.#shared) return this.#shared.forget();
    if (!this.#said) return;
    this.#said = undefined;
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
      // Only who named the request is sure to find it again.
      lingerMs: 0,
      clock: this.#clock,
      said: this.#said?.map(characters),
      isBehind: this.#isBehind,
      replayBuffer: this.#replayBuffer,
    });
    shared.onDrain(() => this.#onDrain());
    shared.gone.addEventListener('abort', () => this.#onGone());
    this.#said = undefined;
    this.#shared = shared;
    return shared;
  }

  #keep(frames: string): void {
    if (!this.#said || frames === '') return;
    if (this.#replayBuffer?.take(frames.length)) this.#said.push(frames);
    else this.forget();
  }

  #open(): SimpleStreamWriter {
    if (this.#writer) return this.#writer;
    assert(this.#exchange !== undefined, 'nothing is said behind the end');
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
