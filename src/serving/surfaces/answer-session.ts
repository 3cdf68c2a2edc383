import { assert } from 'chat-formats/assert.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Receipt } from '../inference/money/bill.ts';
import type { ReplyEnd } from './replies/reply-reader.ts';

/**
 * The states of an answer. `held`: money is held, and the client has no content yet. `streaming`: content is forwarded.
 * `settling`: the provider is done, and the end waits until the charge is durable. `closed`: the reply has ended.
 */
export type SessionState = 'held' | 'streaming' | 'settling' | 'closed';

/**
 * The inputs of an answer. `pass`: frames for the client. `finish`: the provider is done. `fail`: the provider, a write
 * or the charge failed. `clientGone`: the last reader has left. `abort`: the gateway ends the request. `tick`: time has
 * passed.
 */
export type SessionInput = 'pass' | 'finish' | 'fail' | 'clientGone' | 'abort' | 'tick';

const whileRunning = {
  pass: 'streaming',
  finish: 'settling',
  fail: 'closed',
  clientGone: 'closed',
  abort: 'closed',
} as const;

/** The state after each input. An input that is not listed is ignored in that state. */
export const sessionTransitions: Readonly<Record<SessionState, Readonly<Partial<Record<SessionInput, SessionState>>>>> =
  {
    held: { ...whileRunning, tick: 'held' },
    streaming: { ...whileRunning, tick: 'streaming' },
    settling: { fail: 'closed', clientGone: 'closed', tick: 'settling' },
    closed: {},
  };

/** The client's side of an answer: one client, or all readers of a shared reply. */
export interface SessionReply {
  /** Whether the status was sent. */
  readonly hasBegun: boolean;
  /** Calls back each time the client has caught up. */
  onDrain(callback: () => void): void;
  /** `false`: the client is behind. */
  write(frames: string): boolean;
  /** If defined, the end is sent only after it resolves. */
  prepareEnd?(lastFrames: string): Promise<void> | undefined;
  /** Sends the last frames, or the whole body of a reply that is not a stream. */
  end(lastFrames: string): void;
  /** Ends a reply that has begun with frames that are not yet written and an error frame. */
  breakOff(frames: string, errorFrame: string, error: unknown): void;
  /** Sends the error with its own status. If the reply has begun, it closes the connection instead. */
  fail(error: unknown): void;
  /** Closes the connection: neither the end nor an error could be sent. */
  destroy(error: unknown): void;
}

/** The provider's side of an answer, its format and its money. */
export interface SessionHost {
  readonly clock: Clock;
  readonly keepAliveEveryMs: number;
  pause(): void;
  resume(): void;
  /** Ends the provider's call, if it is still running. The error is undefined if the client has left. */
  stop(error: unknown): void;
  /** Sent during silence, so that proxies and clients keep the connection; empty if the format has none. */
  keepAlive(): string;
  /** The last frame of an answer that failed; undefined if the format has none. */
  errorFrame(error: unknown): string | undefined;
  /** Whether clients of the format handle this error better in a stream than as a status. */
  isSentInStream(error: unknown): boolean;
  /** The next tick may be due sooner than before. */
  reschedule(dueMs: number): void;
  /** Charges for the answer, once. Without a receipt, no provider worked on it. */
  settle(isComplete: boolean): Promise<Receipt | undefined>;
  /** Runs the end of an answer when the process has time for it. */
  schedule(work: () => void): void;
  /** Called once, when the reply has ended. Only a complete reply has a receipt. */
  closed(end: ReplyEnd, receipt: Receipt | undefined): void;
  onError(error: unknown): void;
}

/** The last frames of a complete answer, with the usage that was charged. */
type LastFrames = (receipt: Receipt) => string | Promise<string>;

/** The fast path, the slow path and pass-through endpoints end their answers here. Each is settled and closed once. */
export class AnswerSession {
  readonly #host: SessionHost;
  readonly #reply: SessionReply;
  #state: SessionState = 'held';
  #pending = '';
  #keepAliveMs: number;
  /** Whether a frame was written since the last tick. */
  #hasWritten = false;
  #internalError: unknown;

  /** Times are on the clock's `elapsed` scale. */
  constructor(host: SessionHost, reply: SessionReply, firstKeepAliveMs: number) {
    this.#host = host;
    this.#reply = reply;
    this.#keepAliveMs = firstKeepAliveMs;
    reply.onDrain(() => {
      if (!this.isClosed) this.guard(() => host.resume());
    });
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  get dueMs(): number {
    return this.#keepAliveMs;
  }

  /** Forwards frames. The last ones leave with the end, in one write. */
  pass(frames: string, isLast = false): void {
    if (!this.#enter('pass')) return;
    this.#pending += frames;
    if (!isLast) this.#flush();
  }

  /** The provider is done. The end waits until the charge is durable. */
  finish(lastFrames: LastFrames): void {
    if (!this.#enter('finish')) return;
    const host = this.#host;
    // Even if the client is behind: only the end of the provider's response is left, and it frees the connection.
    host.resume();
    host
      .settle(true)
      .then(
        (receipt) => host.schedule(() => this.guard(() => this.#complete(receipt, lastFrames))),
        (error: unknown) => this.fail(error),
      )
      .catch((error: unknown) => host.onError(error));
  }

  fail(error: unknown): void {
    if (this.#enter('fail')) this.#breakOff(error);
  }

  /** Ends the reply with an error, unless it waits only for its charge. */
  abort(error: unknown): void {
    if (this.#enter('abort')) this.#breakOff(error);
  }

  clientGone(): void {
    if (!this.#enter('clientGone')) return;
    this.#stopSource(undefined);
    this.#close({ error: undefined, isClientGone: true, isCommitted: this.#reply.hasBegun });
  }

  tick(nowMs: number): void {
    if (nowMs < this.#keepAliveMs || !this.#enter('tick')) return;
    this.#keepAliveMs = nowMs + this.#host.keepAliveEveryMs;
    const isSilent = !this.#hasWritten;
    this.#hasWritten = false;
    if (!isSilent) return;
    this.guard(() => this.#write(this.#host.keepAlive()));
  }

  /** Runs a callback without a caller that catches. An exception ends this answer with an error, not the process. */
  guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Returns false if the input is ignored in this state. */
  #enter(input: SessionInput): boolean {
    const next = sessionTransitions[this.#state][input];
    if (next === undefined) return false;
    this.#state = next;
    return true;
  }

  #flush(): void {
    const frames = this.#pending;
    this.#pending = '';
    this.#write(frames);
  }

  #write(frames: string): void {
    if (frames === '') return;
    this.#hasWritten = true;
    // The keep-alive interval starts with the first byte.
    if (!this.#reply.hasBegun) {
      const { clock, keepAliveEveryMs } = this.#host;
      this.#keepAliveMs = clock.elapsed() + keepAliveEveryMs;
      this.#host.reschedule(this.#keepAliveMs);
    }
    // Once the provider is done, a slow client must not pause it.
    if (!this.#reply.write(frames) && this.#state !== 'settling') this.#host.pause();
  }

  #complete(receipt: Receipt | undefined, lastFrames: LastFrames): void {
    if (this.#state !== 'settling') return;
    assert(receipt !== undefined, 'a complete answer has a receipt');
    const frames = lastFrames(receipt);
    if (!(frames instanceof Promise)) return this.#end(frames, receipt);
    frames.then((last) => this.#end(last, receipt)).catch((error: unknown) => this.fail(error));
  }

  #end(lastFrames: string, receipt: Receipt): void {
    const last = this.#pending + lastFrames;
    const preparation = this.#reply.prepareEnd?.(last);
    if (!preparation) return this.#sendEnd(last, receipt);
    preparation.then(() => this.#sendEnd(last, receipt)).catch((error: unknown) => this.fail(error));
  }

  #sendEnd(last: string, receipt: Receipt): void {
    if (this.#state !== 'settling') return;
    this.#reply.end(last);
    this.#state = 'closed';
    this.#close({ error: undefined, isClientGone: false, isCommitted: true }, receipt);
  }

  #breakOff(error: unknown): void {
    this.#stopSource(error);
    const reply = this.#reply;
    const isCommitted = reply.hasBegun || this.#pending !== '' || this.#host.isSentInStream(error);
    try {
      const errorFrame = isCommitted ? this.#host.errorFrame(error) : undefined;
      if (errorFrame === undefined) reply.fail(error);
      else reply.breakOff(this.#pending, errorFrame, error);
    } catch {
      // The record has the first error. The client only sees that the connection ends.
      reply.destroy(error);
    }
    this.#close({ error, isClientGone: false, isCommitted });
  }

  /** Does not throw: the client must receive the end, and the request must be recorded. */
  #stopSource(error: unknown): void {
    try {
      this.#host.stop(error);
    } catch (internalError) {
      this.#internalError ??= internalError;
    }
  }

  #close(end: ReplyEnd, receipt?: Receipt): void {
    const host = this.#host;
    // An answer that ended early is charged for the part received. The record awaits the same receipt.
    if (!receipt) void host.settle(false).catch(() => undefined);
    const internalError = this.#internalError;
    host.closed(
      end.error === undefined && internalError !== undefined ? { ...end, error: internalError } : end,
      receipt,
    );
  }
}
