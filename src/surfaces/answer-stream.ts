import type { ChunkWatch } from '../core/chunk-watch.ts';
import type { Clock, Timer } from '../core/clock.ts';
import type { EventSink } from '../core/event-flow.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { EventStreamWriter } from '../http/exchange.ts';
import type { InferenceAnswer } from '../inference/inference-input.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ReplyTarget } from './reply-target.ts';

/** Turns events into the frames of one wire format. */
export interface AnswerEncoder {
  encode(batch: readonly StreamEvent[]): string;
  /** What must be true before those frames may go out, if anything must. */
  settled?(): Promise<void> | undefined;
  /** The frames that say the answer is complete. */
  done(): string;
}

/** A surface's own way to speak while it streams. */
export interface StreamFormat {
  encoder(answer: InferenceAnswer): AnswerEncoder;
  /** Sent while there is nothing to say, so that proxies and clients keep the connection. */
  keepAlive(): string;
  /** The last frame of an answer that broke off. */
  errorFrame(error: unknown): string;
  /** Whether clients of the format are better told of it in a stream than by its status. */
  isToldInStream?(error: unknown): boolean;
}

export interface StreamTiming {
  readonly clock: Clock;
  /** How long an unanswered request keeps the chance of a true error status before 200 goes out. */
  readonly holdHeadersMs: number;
  readonly keepAliveEveryMs: number;
  /** Looks at some of what passes. */
  readonly chunks?: ChunkWatch | undefined;
}

/**
 * Sends an answer to the client as it arrives and resolves when the reply is over, however it ended. Until the first
 * event an error keeps its own status; afterwards it is a frame, and the stream ends without its closing frames.
 */
export async function streamAnswer(
  exchange: ReplyTarget,
  opening: Promise<InferenceAnswer>,
  format: StreamFormat,
  timing: StreamTiming,
): Promise<ReplyEnd> {
  const stream = new AnswerStream(exchange, format, timing);
  try {
    stream.begin(await opening);
  } catch (error) {
    stream.fail(error);
  }
  return stream.over;
}

class AnswerStream implements EventSink {
  readonly #exchange: ReplyTarget;
  readonly #format: StreamFormat;
  readonly #timing: StreamTiming;
  readonly over: Promise<ReplyEnd>;
  #resolve: (end: ReplyEnd) => void = () => {};
  #answer: InferenceAnswer | undefined;
  #encoder: AnswerEncoder | undefined;
  #writer: EventStreamWriter | undefined;
  #pending = '';
  /** When what is pending came, if that is looked at. */
  #cameMs: number | undefined;
  #hasSpoken = false;
  #isOver = false;
  /** What went wrong where nobody could be told. */
  #mistake: unknown;
  #timer: Timer;

  constructor(exchange: ReplyTarget, format: StreamFormat, timing: StreamTiming) {
    this.#exchange = exchange;
    this.#format = format;
    this.#timing = timing;
    this.over = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timer = timing.clock.after(timing.holdHeadersMs, this.#keepAlive);
    exchange.gone.addEventListener('abort', this.#clientLeft);
  }

  begin(answer: InferenceAnswer): void {
    this.#answer = answer;
    if (this.#isOver) return this.#letGo();
    this.#guarded(() => {
      this.#encoder = this.#format.encoder(answer);
      answer.flow.start(this);
    });
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#isOver || !this.#encoder) return;
    try {
      if (this.#pending === '') this.#cameMs = this.#timing.chunks?.came();
      const frames = this.#encoder.encode(batch);
      if (this.#pending === '') queueMicrotask(this.#flush);
      this.#pending += frames;
    } catch (error) {
      this.#breakDown(error);
    }
  }

  end(): void {
    if (this.#isOver || !this.#encoder) return;
    try {
      const settled = this.#encoder.settled?.();
      if (!settled) return this.#finish(this.#encoder);
      settled.then(this.#settled, (error: unknown) => this.#breakDown(error));
    } catch (error) {
      this.#breakDown(error);
    }
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    // The upstream hears of a client that leaves as soon as we do, and may be the first to say so.
    if (this.#exchange.gone.aborted) return this.#clientLeft();
    const isTold = this.#format.isToldInStream?.(error) === true;
    const isCommitted = isTold || this.#writer !== undefined || this.#pending !== '';
    try {
      if (isCommitted) this.#open().breakOff(this.#pending + this.#format.errorFrame(error), error);
      else this.#exchange.fail(error);
    } catch {
      return this.#cut(error);
    }
    this.#close({ error, isClientGone: false, isCommitted });
  }

  readonly #settled = (): void => {
    const encoder = this.#encoder;
    if (!this.#isOver && encoder) this.#guarded(() => this.#finish(encoder));
  };

  #finish(encoder: AnswerEncoder): void {
    const last = this.#pending + encoder.done();
    const recorded = this.#exchange.recorded?.(last, { kind: 'stream' });
    if (!recorded) return this.#say(last);
    // A sign of life may still go out before it.
    this.#pending = '';
    const goOn = (): void => {
      if (!this.#isOver) this.#guarded(() => this.#say(last));
    };
    recorded.then(goOn, (error: unknown) => this.#breakDown(error));
  }

  /** The last of it. */
  #say(last: string): void {
    this.#open().end(last);
    this.#left();
    this.#close({ error: undefined, isClientGone: false, isCommitted: true });
  }

  /** One write for everything that one read brought: the frames of a batch and, if it came along, the end. */
  readonly #flush = (): void => {
    if (this.#isOver || this.#pending === '') return;
    const frames = this.#pending;
    this.#pending = '';
    this.#guarded(() => this.#write(frames));
    this.#left();
  };

  /** What came last is with the client. */
  #left(): void {
    if (this.#cameMs !== undefined) this.#timing.chunks?.left(this.#cameMs);
    this.#cameMs = undefined;
  }

  /** Whatever calls in here runs on its own: a mistake ends this answer with a word to its client, not the process. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#breakDown(error);
    }
  }

  /** The provider is let go, and the client can tell that the answer is not whole. */
  #breakDown(error: unknown): void {
    if (this.#isOver) return;
    this.#letGo();
    this.fail(error);
  }

  /** What goes wrong with that is a mistake of ours, and stands in the record unless something worse does. */
  #letGo(): void {
    try {
      this.#answer?.flow.cancel();
    } catch (error) {
      this.#mistake ??= error;
    }
  }

  /** Not even the error can be written: the client sees the connection break, and the record says why. */
  #cut(error: unknown): void {
    try {
      this.#exchange.fail(error);
    } catch {
      // The connection is beyond our reach; its own end is all the client will see.
    }
    this.#close({ error, isClientGone: false, isCommitted: this.#writer !== undefined });
  }

  #write(frames: string): void {
    this.#hasSpoken = true;
    if (!this.#open().write(frames)) this.#answer?.flow.pause();
  }

  #open(): EventStreamWriter {
    if (this.#writer) return this.#writer;
    this.#writer = this.#exchange.openEventStream();
    this.#writer.onDrain(() => this.#guarded(() => this.#answer?.flow.resume()));
    // From the first byte on silence counts, however long the status might have been held back.
    this.#lookLater();
    return this.#writer;
  }

  readonly #keepAlive = (): void => {
    this.#lookLater();
    if (!this.#hasSpoken) this.#guarded(() => this.#sayAlive(this.#format.keepAlive()));
    this.#hasSpoken = false;
  };

  #lookLater(): void {
    const { clock, keepAliveEveryMs } = this.#timing;
    clock.cancel(this.#timer);
    this.#timer = clock.after(keepAliveEveryMs, this.#keepAlive);
  }

  /** A format without signs of life commits itself to nothing by its silence. */
  #sayAlive(sign: string): void {
    if (sign !== '') this.#write(sign);
  }

  readonly #clientLeft = (): void => {
    if (this.#isOver) return;
    this.#letGo();
    this.#close({ error: undefined, isClientGone: true, isCommitted: this.#writer !== undefined });
  };

  #close(end: ReplyEnd): void {
    this.#isOver = true;
    this.#timing.clock.cancel(this.#timer);
    this.#exchange.gone.removeEventListener('abort', this.#clientLeft);
    this.#resolve({ ...end, error: end.error ?? this.#mistake });
  }
}
