import type { ChunkWatch } from '../../core/chunk-watch.ts';
import type { Clock } from '../../core/time/clock.ts';
import { decimalText } from '../../core/money.ts';
import type { DeadlineTimer } from '../../core/time/deadline-timer.ts';
import type { EventSink } from 'chat-formats/chat/event-flow.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { Usage } from 'chat-formats/chat/usage.ts';
import type { Receipt } from '../inference/money/bill.ts';
import type { InferenceAnswer } from '../inference/inference-input.ts';
import { orOverloaded } from '../../platform/store/postgres/unreachable.ts';
import type { ReplyForm } from '../../platform/cluster/reply-claims.ts';
import { AnswerSession, type SessionHost } from './answer-session.ts';
import { costHeaders, type ReplyEnd } from './replies/reply-reader.ts';
import type { SharedReply } from './replies/shared-reply.ts';

export interface AnswerEncoder {
  encode(batch: readonly StreamEvent[]): string;
  /** If defined, the final frames are sent only after it resolves. */
  settled?(): Promise<void> | undefined;
  done(): string;
}

export interface StreamFormat {
  encoder(answer: InferenceAnswer): AnswerEncoder;
  /** Sent during silence, so that proxies and clients keep the connection. */
  keepAlive(): string;
  /** The last frame of an answer that failed; undefined if the format has none. */
  errorFrame(error: unknown): string | undefined;
  /** Whether clients of the format handle this error better in a stream than as a status. */
  isSentInStream?(error: unknown): boolean;
  /** Undefined for an event stream of the gateway's own frames. */
  readonly form?: ReplyForm;
  /** Whether the last usage, and the head of a body, have the charge. */
  readonly reportsCost?: boolean;
}

export interface StreamTiming {
  readonly clock: Clock;
  readonly deadlines: DeadlineTimer;
  /** How long the status is held back, so that an error can still have its own status. */
  readonly holdHeadersMs: number;
  readonly keepAliveEveryMs: number;
  readonly chunks?: ChunkWatch | undefined;
  readonly onError: (error: unknown) => void;
}

/** Resolves when the reply has ended. Before the first event an error has its own status; afterwards it is a frame. */
export function sendAnswer(
  reply: SharedReply,
  opening: Promise<InferenceAnswer>,
  format: StreamFormat,
  timing: StreamTiming,
): Promise<ReplyEnd> {
  const stream = new AnswerStream(reply, format, timing);
  opening
    .then(
      (answer) => stream.begin(answer),
      (error: unknown) => stream.fail(error),
    )
    .catch(timing.onError);
  return stream.over;
}

class AnswerStream implements EventSink, SessionHost {
  readonly over: Promise<ReplyEnd>;
  readonly clock: Clock;
  readonly keepAliveEveryMs: number;
  readonly #reply: SharedReply;
  readonly #format: StreamFormat;
  readonly #timing: StreamTiming;
  readonly #session: AnswerSession;
  readonly #resolve: (end: ReplyEnd) => void;
  readonly #deadlineIndex: number;
  #answer: InferenceAnswer | undefined;
  #encoder: AnswerEncoder | undefined;
  #frames = '';
  #arrivedMs: number | undefined;
  /** Encodes the end of the answer, once. A line of a batch needs it before its charge, others after it. */
  #lastFrames: ((receipt: Receipt) => string | Promise<string>) | undefined;

  constructor(reply: SharedReply, format: StreamFormat, timing: StreamTiming) {
    this.#reply = reply;
    this.#format = format;
    this.#timing = timing;
    const { clock, deadlines, holdHeadersMs, keepAliveEveryMs } = timing;
    this.clock = clock;
    this.keepAliveEveryMs = keepAliveEveryMs;
    const { promise, resolve } = Promise.withResolvers<ReplyEnd>();
    this.over = promise;
    this.#resolve = resolve;
    if (format.form) reply.setForm(format.form);
    this.#session = new AnswerSession(this, reply, clock.elapsed() + holdHeadersMs);
    this.#deadlineIndex = deadlines.add(this.#session);
    reply.gone.addEventListener('abort', this.#clientGone);
  }

  begin(answer: InferenceAnswer): void {
    this.#answer = answer;
    if (this.#session.isClosed) return answer.flow.cancel();
    this.#session.guard(() => {
      this.#encoder = this.#format.encoder(answer);
      answer.flow.start(this);
    });
  }

  /** The final usage is the one that was charged, so the provider's reports are not encoded. */
  events(batch: readonly StreamEvent[]): void {
    const answer = this.#answer;
    if (this.#session.isClosed || !this.#encoder || !answer) return;
    answer.meter.measure(batch);
    if (this.#frames === '') this.#arrivedMs = this.#timing.chunks?.came();
    const frames = this.#encoder.encode(batch.some(isUsage) ? batch.filter((event) => !isUsage(event)) : batch);
    if (answer.meter.isFinished) {
      this.#flush();
      this.#session.pass(frames, true);
      this.#reportLatency();
    } else {
      if (this.#frames === '') queueMicrotask(this.#flush);
      this.#frames += frames;
    }
  }

  end(): void {
    const encoder = this.#encoder;
    if (!encoder) return;
    this.#flush();
    this.#lastFrames = (receipt) => {
      const frames = encoder.encode([{ type: 'usage', usage: this.#reportedUsage(receipt) }]);
      const settled = encoder.settled?.();
      const last = settled ? settled.then(() => frames + encoder.done()) : frames + encoder.done();
      this.#lastFrames = () => last;
      return last;
    };
    this.#session.finish((receipt) => this.#lastFrames?.(receipt) ?? '');
  }

  /** The charged usage, with its cost if the client gets it. The head of a body then has the cost too. */
  #reportedUsage({ usage, cost: charge }: Receipt): Usage {
    const { form, reportsCost } = this.#format;
    if (!reportsCost) return usage;
    const cost = decimalText(charge);
    if (form?.kind === 'body') this.#reply.setForm({ ...form, headers: costHeaders(cost) });
    return { ...usage, cost };
  }

  fail(error: unknown): void {
    // A client that leaves also cancels the upstream call, so its error may arrive first.
    if (this.#reply.gone.aborted) return this.#clientGone();
    this.#session.pass(this.#takeFrames(), true);
    this.#session.fail(orOverloaded(error));
  }

  pause(): void {
    this.#answer?.flow.pause();
  }

  resume(): void {
    this.#answer?.flow.resume();
  }

  stop(): void {
    this.#answer?.flow.cancel();
  }

  keepAlive(): string {
    return this.#format.keepAlive();
  }

  errorFrame(error: unknown): string | undefined {
    return this.#format.errorFrame(error);
  }

  isSentInStream(error: unknown): boolean {
    return this.#format.isSentInStream?.(error) ?? false;
  }

  reschedule(dueMs: number): void {
    this.#timing.deadlines.schedule(dueMs);
  }

  async settle(isComplete: boolean): Promise<Receipt | undefined> {
    const { chargedWith } = this.#reply;
    const outcomeOf =
      chargedWith &&
      (async (receipt: Receipt) => {
        return chargedWith(receipt, isComplete ? await this.#lastFrames?.(receipt) : undefined);
      });
    return this.#answer?.meter.settle(isComplete, outcomeOf);
  }

  schedule(work: () => void): void {
    work();
  }

  closed(end: ReplyEnd): void {
    this.#timing.deadlines.remove(this.#session, this.#deadlineIndex);
    this.#reply.gone.removeEventListener('abort', this.#clientGone);
    this.#resolve(end);
  }

  onError(error: unknown): void {
    this.#timing.onError(error);
  }

  /** One write for everything from one read. */
  readonly #flush = (): void => {
    if (this.#frames === '') return;
    const frames = this.#takeFrames();
    this.#session.guard(() => this.#session.pass(frames));
    this.#reportLatency();
  };

  #reportLatency(): void {
    if (this.#arrivedMs !== undefined) this.#timing.chunks?.left(this.#arrivedMs);
    this.#arrivedMs = undefined;
  }

  readonly #clientGone = (): void => this.#session.clientGone();

  #takeFrames(): string {
    const frames = this.#frames;
    this.#frames = '';
    return frames;
  }
}

function isUsage({ type }: StreamEvent): boolean {
  return type === 'usage';
}
