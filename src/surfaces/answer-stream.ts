import type { ChunkWatch } from '../core/chunk-watch.ts';
import type { Clock, Timer } from '../core/clock.ts';
import type { EventSink } from '../core/event-flow.ts';
import type { StreamEvent } from '../core/stream-event.ts';
import type { EventStreamWriter } from '../http/exchange.ts';
import type { InferenceAnswer } from '../inference/inference-input.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ReplyTarget } from './reply-target.ts';

/** Encodes events as frames of one wire format. */
export interface AnswerEncoder {
  encode(batch: readonly StreamEvent[]): string;
  /** If defined, the final frames are sent only after it resolves. */
  settled?(): Promise<void> | undefined;
  /** The final frames of a complete answer. */
  done(): string;
}

/** The stream format of a surface. */
export interface StreamFormat {
  encoder(answer: InferenceAnswer): AnswerEncoder;
  /** Sent during silence, so that proxies and clients keep the connection. */
  keepAlive(): string;
  /** The last frame of an answer that failed. */
  errorFrame(error: unknown): string;
  /** Whether clients of the format handle this error better in a stream than as a status. */
  isSentInStream?(error: unknown): boolean;
}

export interface StreamTiming {
  readonly clock: Clock;
  /** How long the status is held back, so that an error can still have its own status. */
  readonly holdHeadersMs: number;
  readonly keepAliveEveryMs: number;
  /** Measures some of the chunks. */
  readonly chunks?: ChunkWatch | undefined;
}

/**
 * Streams an answer to the client. Resolves when the reply has ended, also after an error. Before the first event an
 * error has its own status; afterwards it is a frame, and the stream ends without its final frames.
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
  /** When the pending frames arrived, if they are measured. */
  #arrivedMs: number | undefined;
  #hasWritten = false;
  #isOver = false;
  /** An internal error that the client cannot receive. */
  #internalError: unknown;
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
    if (this.#isOver) return this.#cancelFlow();
    this.#guarded(() => {
      this.#encoder = this.#format.encoder(answer);
      answer.flow.start(this);
    });
  }

  events(batch: readonly StreamEvent[]): void {
    if (this.#isOver || !this.#encoder) return;
    try {
      if (this.#pending === '') this.#arrivedMs = this.#timing.chunks?.came();
      const frames = this.#encoder.encode(batch);
      if (this.#pending === '') queueMicrotask(this.#flush);
      this.#pending += frames;
    } catch (error) {
      this.#abort(error);
    }
  }

  end(): void {
    if (this.#isOver || !this.#encoder) return;
    try {
      const settled = this.#encoder.settled?.();
      if (!settled) return this.#finish(this.#encoder);
      settled.then(this.#settled, (error: unknown) => this.#abort(error));
    } catch (error) {
      this.#abort(error);
    }
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    // A client that leaves also cancels the upstream call, so its error may arrive first.
    if (this.#exchange.gone.aborted) return this.#clientLeft();
    const isSentInStream = this.#format.isSentInStream?.(error) === true;
    const isCommitted = isSentInStream || this.#writer !== undefined || this.#pending !== '';
    try {
      if (isCommitted) this.#open().breakOff(this.#pending + this.#format.errorFrame(error), error);
      else this.#exchange.fail(error);
    } catch {
      return this.#failExchange(error);
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
    if (!recorded) return this.#sendEnd(last);
    // A keep-alive may still be sent before it.
    this.#pending = '';
    const sendEnd = (): void => {
      if (!this.#isOver) this.#guarded(() => this.#sendEnd(last));
    };
    recorded.then(sendEnd, (error: unknown) => this.#abort(error));
  }

  #sendEnd(last: string): void {
    this.#open().end(last);
    this.#reportLatency();
    this.#close({ error: undefined, isClientGone: false, isCommitted: true });
  }

  /** One write for everything from one read: the frames of a batch and, if it arrived with them, the end. */
  readonly #flush = (): void => {
    if (this.#isOver || this.#pending === '') return;
    const frames = this.#pending;
    this.#pending = '';
    this.#guarded(() => this.#write(frames));
    this.#reportLatency();
  };

  /** Reports the latency of the frames just written. */
  #reportLatency(): void {
    if (this.#arrivedMs !== undefined) this.#timing.chunks?.left(this.#arrivedMs);
    this.#arrivedMs = undefined;
  }

  /** Callbacks run without a caller that catches. An exception ends this answer with an error, not the process. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#abort(error);
    }
  }

  /** Cancels the provider and ends the reply so that the client can see it is incomplete. */
  #abort(error: unknown): void {
    if (this.#isOver) return;
    this.#cancelFlow();
    this.fail(error);
  }

  /** Cancels the provider. An exception is an internal error; it is recorded unless the reply has another error. */
  #cancelFlow(): void {
    try {
      this.#answer?.flow.cancel();
    } catch (error) {
      this.#internalError ??= error;
    }
  }

  /** The error frame could not be written. The connection is closed, and the record has the error. */
  #failExchange(error: unknown): void {
    try {
      this.#exchange.fail(error);
    } catch {
      // Nothing more can be sent; the client only sees the connection end.
    }
    this.#close({ error, isClientGone: false, isCommitted: this.#writer !== undefined });
  }

  #write(frames: string): void {
    this.#hasWritten = true;
    if (!this.#open().write(frames)) this.#answer?.flow.pause();
  }

  #open(): EventStreamWriter {
    if (this.#writer) return this.#writer;
    this.#writer = this.#exchange.openEventStream();
    this.#writer.onDrain(() => this.#guarded(() => this.#answer?.flow.resume()));
    // The keep-alive interval starts with the first byte, not after `holdHeadersMs`.
    this.#scheduleKeepAlive();
    return this.#writer;
  }

  readonly #keepAlive = (): void => {
    this.#scheduleKeepAlive();
    if (!this.#hasWritten) this.#guarded(() => this.#sendKeepAlive(this.#format.keepAlive()));
    this.#hasWritten = false;
  };

  #scheduleKeepAlive(): void {
    const { clock, keepAliveEveryMs } = this.#timing;
    clock.cancel(this.#timer);
    this.#timer = clock.after(keepAliveEveryMs, this.#keepAlive);
  }

  /** A format without keep-alives sends nothing here, so its status stays open. */
  #sendKeepAlive(frame: string): void {
    if (frame !== '') this.#write(frame);
  }

  readonly #clientLeft = (): void => {
    if (this.#isOver) return;
    this.#cancelFlow();
    this.#close({ error: undefined, isClientGone: true, isCommitted: this.#writer !== undefined });
  };

  #close(end: ReplyEnd): void {
    this.#isOver = true;
    this.#timing.clock.cancel(this.#timer);
    this.#exchange.gone.removeEventListener('abort', this.#clientLeft);
    this.#resolve({ ...end, error: end.error ?? this.#internalError });
  }
}
