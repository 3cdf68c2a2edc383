import type { LineOutcome } from '../../../core/line-outcome.ts';
import type { Receipt } from '../../inference/money/bill.ts';
import type { ReplyForm } from '../../../platform/cluster/reply-claims.ts';
import type { Clock, Timer } from '../../../core/time/clock.ts';
import type { SessionReply } from '../answer-session.ts';
import type { ServedRequest } from '../served-request.ts';
import type { ActivitySigns } from './activity-signs.ts';
import type { JoinableReply, ReplayBuffer, RetryTerms } from './replays.ts';
import { type ReplyEnd, ReplyReader, type ReplyTarget } from './reply-reader.ts';

interface SharedReplyOptions {
  readonly request: ServedRequest;
  /** The first reader; undefined for a complete reply. */
  readonly exchange: ReplyTarget | undefined;
  readonly clock: Clock;
  readonly terms?: RetryTerms | undefined;
  /** How long it continues without readers, in case the client retries. */
  readonly lingerMs?: number;
  /** Has the frames already sent to the first client. */
  readonly buffer?: ReplayBuffer | undefined;
  /** The first client has not drained all of it, and the provider is paused. */
  readonly isBehind?: boolean;
  readonly chargedWith?: ReplyOutcomeSource | undefined;
}

/** Creates the outcome of a batch line that is committed together with the charge of a reply. The text is undefined if the reply failed. */
export type ReplyOutcomeSource = (receipt: Receipt, text: string | undefined) => Promise<LineOutcome | undefined>;

/** Records a complete reply for other processes. Resolves when it is recorded, or after a timeout. */
type RecordComplete = (whole: string, form: ReplyForm) => Promise<void>;

/**
 * One reply for a request and its retries. Each reader gets the same bytes from the start, at its own pace. The fastest
 * reader sets the pace of the provider. When all readers have left and none returns in time, `gone` aborts. Without
 * retry headers it has one reader and keeps no frames.
 */
export class SharedReply implements SessionReply, JoinableReply {
  readonly request: ServedRequest;
  readonly terms: RetryTerms | undefined;
  /** Set while another process generates it. */
  signs: ActivitySigns | undefined;
  readonly chargedWith: ReplyOutcomeSource | undefined;
  readonly #lingerMs: number;
  readonly #clock: Clock;
  readonly #readers = new Set<ReplyReader>();
  #leaving = new AbortController();
  #buffer: ReplayBuffer | undefined;
  #form: ReplyForm = { kind: 'stream' };
  hasBegun = false;
  #isComplete: boolean;
  #onDrain: () => void = () => {};
  #isPaused = false;
  #linger: Timer | undefined;
  /** Set while this process generates a claimed reply. */
  #record: RecordComplete | undefined;

  constructor({
    request,
    exchange,
    clock,
    terms,
    lingerMs = 0,
    buffer,
    isBehind = false,
    ...rest
  }: SharedReplyOptions) {
    this.request = request;
    this.chargedWith = rest.chargedWith;
    this.terms = terms;
    this.#lingerMs = lingerMs;
    this.#clock = clock;
    this.#buffer = buffer;
    this.#isComplete = exchange === undefined;
    if (!exchange) return;
    const first = new ReplyReader(exchange, this.#form, () => {});
    first.next = this.#frames?.length ?? 0;
    if (isBehind) first.waitForDrain();
    this.#isPaused = isBehind;
    this.#admit(first);
  }

  /** Aborts when the reply has no reader left. */
  get gone(): AbortSignal {
    return this.#leaving.signal;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Whether a retry can join it in another process. Bytes cannot be relayed. */
  get isKept(): boolean {
    const isText = this.#form.kind === 'stream' ? this.#form.contentType === undefined : !this.#form.isBytes;
    return isText && this.#frames !== undefined;
  }

  /** This process generates it from now on. Its end is sent after `record` resolves. */
  setLocal(record: RecordComplete): void {
    this.#record = record;
    this.signs?.end(true);
    this.signs = undefined;
  }

  /** Called before the first write. */
  setForm(form: ReplyForm): void {
    this.#form = form;
    for (const reader of this.#readers) reader.form = form;
  }

  keepIn(buffer: ReplayBuffer): void {
    this.#buffer = buffer;
  }

  follow(target: ReplyTarget, onFirstByte: () => void): Promise<ReplyEnd> {
    const reader = new ReplyReader(target, this.#form, onFirstByte);
    const frames = this.#frames ?? [];
    if (this.#isComplete) {
      reader.end(frames.join(''));
      reader.close({ error: undefined, isCommitted: true });
      return reader.over;
    }
    if (frames.length > 0) reader.write(frames.join(''), frames.length);
    this.#admit(reader);
    return reader.over;
  }

  write(frames: string): boolean {
    // Pieces are counted to track each reader's position, so an empty piece must not count.
    if (frames === '') return !this.#isPaused;
    this.hasBegun = true;
    this.#keep(frames);
    this.#toAll((reader) => {
      if (!reader.isBehind) reader.write(frames, 1);
      else if (!this.#frames) this.#writeOrCut(reader, frames);
    });
    // A client that is behind may accept a piece and still drain later, so only a drain ends the pause.
    this.#isPaused ||= this.hasReaders && !this.#isAnyoneReady();
    return !this.#isPaused;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  /** A reply that exceeds the replay buffer is not recorded. */
  prepareEnd(last: string): Promise<void> | undefined {
    if (!this.isKept || this.#buffer?.fits(last.length) !== true) return undefined;
    return this.#record?.((this.#frames ?? []).join('') + last, this.#form);
  }

  end(last = ''): void {
    this.hasBegun ||= this.#form.kind === 'stream';
    this.#complete(last, (reader, rest) => reader.end(rest));
  }

  breakOff(frames: string, errorFrame: string, error: unknown): void {
    this.hasBegun = true;
    this.#complete(frames + errorFrame, (reader, rest) => reader.breakOff(rest, error));
  }

  fail(error: unknown): void {
    this.forget();
    this.#toAll((reader) => reader.fail(error));
  }

  destroy(error: unknown): void {
    try {
      this.fail(error);
    } catch {
      // Nothing more can be sent; the client only sees the connection end.
    }
  }

  /** Ends all readers. Only a complete reply is kept for later retries. */
  close(end: ReplyEnd): void {
    this.#clock.cancel(this.#linger);
    for (const reader of this.#readers) reader.close(end);
    this.#readers.clear();
    // Keep only the frames, not the connections and the provider that the callbacks and listeners reference.
    this.#onDrain = () => {};
    this.#record = undefined;
    if (!this.gone.aborted) this.#leaving = new AbortController();
    if (end.error !== undefined || end.isClientGone) this.forget();
    this.#buffer?.finish();
    this.signs?.end(false);
    this.signs = undefined;
  }

  forget(): void {
    const frames = this.#frames;
    if (!frames) return;
    this.#buffer?.drop();
    this.#toAll((reader) => {
      if (reader.next < frames.length) this.#writeOrCut(reader, frames.slice(reader.next).join(''));
    });
  }

  abandon(): void {
    this.#clock.cancel(this.#linger);
    this.forget();
    this.#leaving.abort();
  }

  get #frames(): string[] | undefined {
    return this.#buffer?.frames;
  }

  #admit(reader: ReplyReader): void {
    this.#clock.cancel(this.#linger);
    this.#readers.add(reader);
    reader.onCaughtUp = () => this.#caughtUp(reader);
    reader.onGone(() => this.#readerLeft(reader));
    this.#resumeIfReady();
  }

  #complete(last: string, send: (reader: ReplyReader, rest: string) => void): void {
    this.#isComplete = true;
    this.#keep(last);
    this.#toAll((reader) => send(reader, this.#unseen(reader) ?? last));
  }

  /** An exception of one of several readers ends that reader; of the only reader, it ends the reply. */
  #toAll(work: (reader: ReplyReader) => void): void {
    for (const reader of this.#readers) {
      try {
        work(reader);
      } catch (error) {
        if (this.#readers.size === 1) throw error;
        this.#readers.delete(reader);
        reader.drop(error);
      }
    }
  }

  #readerLeft(reader: ReplyReader): void {
    if (!this.#readers.delete(reader)) return;
    reader.close({ error: undefined, isCommitted: reader.next > 0 });
    if (!this.hasReaders && !this.#isComplete) {
      if (!this.#frames || this.#lingerMs === 0) return this.abandon();
      this.request.note('its client left, and it continued for a retry');
      this.#linger = this.#clock.after(this.#lingerMs, () => this.abandon());
    }
    this.#resumeIfReady();
  }

  #resumeIfReady(): void {
    if (!this.#isPaused || (this.hasReaders && !this.#isAnyoneReady())) return;
    this.#isPaused = false;
    this.#onDrain();
  }

  #caughtUp(reader: ReplyReader): void {
    if (this.#isComplete || !this.#readers.has(reader)) return;
    try {
      const unseenPieces = (this.#frames?.length ?? 0) - reader.next;
      if (unseenPieces > 0) reader.write(this.#unseen(reader) ?? '', unseenPieces);
    } catch (error) {
      // A socket callback has no caller that catches, so the reader is removed as if it had left.
      reader.drop(error);
      return this.#readerLeft(reader);
    }
    this.#resumeIfReady();
  }

  /** The kept frames that the reader has not received; undefined if frames are not kept. */
  #unseen({ next }: ReplyReader): string | undefined {
    return this.#frames?.slice(next).join('');
  }

  #keep(piece: string): void {
    if (!this.#frames || piece === '' || this.#buffer?.add(piece)) return;
    if (this.hasReaders || this.#isComplete) this.forget();
    else this.abandon();
  }

  /** Frames are not kept: a slow reader gets everything now, or is closed if another reader is faster. */
  #writeOrCut(reader: ReplyReader, frames: string): void {
    if (this.#isAnyoneReady()) reader.cut();
    else reader.write(frames, 1);
  }

  #isAnyoneReady(): boolean {
    for (const reader of this.#readers) if (!reader.isBehind) return true;
    return false;
  }
}
