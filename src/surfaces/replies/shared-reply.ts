import type { CompleteEnding } from '../../cluster/reply-claims.ts';
import type { Clock, Timer } from '../../core/clock.ts';
import type { EventStreamWriter, Exchange } from '../../http/exchange.ts';
import type { JoinableReply, ReplayBuffer } from './joinable-reply.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ReplyTarget } from './reply-target.ts';
import type { ServedRequest } from '../served-request.ts';
import { ReplyReader } from './reply-reader.ts';
import { ActivitySigns } from './activity-signs.ts';

interface SharedReplyOptions {
  readonly id: string;
  /** The first reader; undefined for a complete reply. */
  readonly exchange: Exchange | undefined;
  readonly request: ServedRequest;
  /** How long it continues without readers, in case the client retries. */
  readonly lingerMs: number;
  readonly clock: Clock;
  /** Frames already sent to the first client. */
  readonly said?: readonly string[] | undefined;
  /** The first client has not drained all of it, and the provider is paused. */
  readonly isBehind?: boolean | undefined;
  readonly replayBuffer?: ReplayBuffer | undefined;
}

/** Records a complete reply for other processes. Resolves when it is recorded, or after a timeout. */
type RecordComplete = (whole: string, ending: CompleteEnding) => Promise<void>;

/**
 * One reply for a request and its retries. Each reader gets the same bytes from the start, at its own pace. The fastest
 * reader sets the pace of the provider. When all readers have left and none returns in time, `gone` aborts.
 */
export class SharedReply implements JoinableReply, ReplyTarget, EventStreamWriter {
  readonly id: string;
  readonly request: ServedRequest;
  readonly #lingerMs: number;
  readonly #clock: Clock;
  readonly #readers = new Set<ReplyReader>();
  readonly #leaving = new AbortController();
  #replayBuffer: ReplayBuffer | undefined;
  #frames: string[] | undefined;
  #whole: readonly [status: number, contentType: string, body: string] | undefined;
  /** Content type, if not an event stream. */
  #contentType: string | undefined;
  #isComplete = false;
  #onDrain: () => void = () => {};
  #isPaused = false;
  #linger: Timer | undefined;
  /** Records the complete reply for other processes. */
  #record: RecordComplete | undefined;
  /** Set while another process generates it. */
  #signs: ActivitySigns | undefined;

  constructor({ id, exchange, request, lingerMs, clock, said, isBehind = false, replayBuffer }: SharedReplyOptions) {
    this.id = id;
    this.request = request;
    this.#lingerMs = lingerMs;
    this.#clock = clock;
    this.#replayBuffer = replayBuffer;
    this.#frames = said && [...said];
    this.#isComplete = exchange === undefined;
    if (!exchange) return;
    const first = new ReplyReader(exchange, () => {}, said?.length);
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

  /** Whether a retry can join it in another process. A byte stream cannot be relayed. */
  get isKept(): boolean {
    return this.#frames !== undefined && this.#contentType === undefined;
  }

  /** Another process generates it. Returns the receiver of its signs of activity. */
  setRemote(): ActivitySigns {
    this.#signs ??= new ActivitySigns();
    return this.#signs;
  }

  /** This process generates it from now on. Its end is sent after `record` resolves. */
  setLocal(record: RecordComplete): void {
    this.#record = record;
    this.#signs?.end(true);
    this.#signs = undefined;
  }

  /** A reply that exceeds the replay buffer is not recorded. */
  recorded(last: string, ending: CompleteEnding): Promise<void> | undefined {
    if (!this.isKept || this.#replayBuffer?.fits(last.length) !== true) return undefined;
    return this.#record?.((this.#frames ?? []).join('') + last, ending);
  }

  goesOn(): Promise<boolean> | undefined {
    return this.#signs?.next();
  }

  keepOn(replayBuffer: ReplayBuffer): void {
    this.#replayBuffer = replayBuffer;
    this.#frames = [];
  }

  follow(exchange: ReplyTarget, onFirstByte: () => void): Promise<ReplyEnd> {
    const reader = new ReplyReader(exchange, onFirstByte);
    reader.contentType = this.#contentType;
    const frames = this.#frames ?? [];
    this.#clock.cancel(this.#linger);
    if (this.#isComplete) {
      if (this.#whole) reader.send(...this.#whole);
      else reader.end(frames.join(''));
      reader.close({ error: undefined, isCommitted: true });
      return reader.over;
    }
    if (frames.length > 0) reader.write(frames.join(''), frames.length);
    this.#admit(reader);
    return reader.over;
  }

  openEventStream(contentType?: string): EventStreamWriter {
    this.#contentType = contentType;
    for (const reader of this.#readers) reader.contentType = contentType;
    return this;
  }

  write(frames: string): boolean {
    // Pieces are counted to track each reader's position, so an empty piece must not count.
    if (frames === '') return !this.#isPaused;
    this.#keepFrames(frames);
    this.#toAll((reader) => {
      if (!reader.isBehind) reader.write(frames, 1);
      else if (!this.#frames) this.#writeOrCut(reader, frames);
    });
    this.#isPaused = this.hasReaders && !this.#isAnyoneReady();
    return !this.#isPaused;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  end(lastFrames = ''): void {
    this.#keepFrames(lastFrames);
    this.#isComplete = true;
    this.#toAll((reader) => reader.end(this.#unseen(reader) ?? lastFrames));
  }

  breakOff(lastFrames: string, error: unknown): void {
    this.#keepFrames(lastFrames);
    this.#isComplete = true;
    this.#toAll((reader) => reader.endBroken(this.#unseen(reader) ?? lastFrames, error));
  }

  destroy(): void {
    this.#toAll((reader) => reader.cut());
  }

  send(status: number, contentType: string, body: string): void {
    this.#keepFrames(body);
    this.#isComplete = true;
    this.#whole = [status, contentType, body];
    this.#toAll((reader) => reader.send(status, contentType, body));
  }

  fail(error: unknown): void {
    this.forget();
    this.#toAll((reader) => reader.fail(error));
  }

  /** Ends all readers. Only a complete reply is kept for later retries. */
  close(end: ReplyEnd): void {
    this.#clock.cancel(this.#linger);
    for (const reader of this.#readers) reader.close(end);
    this.#readers.clear();
    // Keep only the frames, not the connections and the provider that the callbacks reference.
    this.#onDrain = () => {};
    this.#record = undefined;
    if (end.error !== undefined || end.isClientGone) this.forget();
    if (this.#frames) this.#replayBuffer?.finish();
    else this.#replayBuffer?.leave();
    this.#signs?.end(false);
    this.#signs = undefined;
  }

  forget(): void {
    if (!this.#frames) return;
    const frames = this.#frames;
    this.#frames = undefined;
    this.#whole = undefined;
    this.#replayBuffer?.clear();
    this.#toAll((reader) => {
      if (reader.next < frames.length) this.#writeOrCut(reader, frames.slice(reader.next).join(''));
    });
  }

  abandon(): void {
    this.#clock.cancel(this.#linger);
    this.forget();
    this.#leaving.abort();
  }

  #admit(reader: ReplyReader): void {
    this.#readers.add(reader);
    reader.onCaughtUp(() => this.#caughtUp(reader));
    reader.onGone(() => this.#readerLeft(reader));
    this.#resumeIfReady();
  }

  /** An exception of one of several readers ends that reader; of the only reader, it ends the reply. */
  #toAll(work: (reader: ReplyReader) => void): void {
    for (const reader of this.#readers) {
      try {
        work(reader);
      } catch (error) {
        if (this.#readers.size === 1) throw error;
        this.#readers.delete(reader);
        reader.breakOff(error);
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

  /** Resumes the provider if a reader keeps up, or if there is no reader. */
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
      reader.breakOff(error);
      return this.#readerLeft(reader);
    }
    this.#resumeIfReady();
  }

  /** The kept frames that the reader has not received; undefined if frames are not kept. */
  #unseen({ next }: ReplyReader): string | undefined {
    return this.#frames?.slice(next).join('');
  }

  #keepFrames(piece: string): void {
    if (!this.#frames || piece === '') return;
    if (this.#replayBuffer?.take(piece.length)) this.#frames.push(piece);
    else if (this.hasReaders) this.forget();
    else this.abandon();
  }

  /**
   * Frames are not kept, so a slow reader is sent everything now. If another reader is faster, the slow one is closed.
   */
  #writeOrCut(reader: ReplyReader, frames: string): void {
    if (this.#isAnyoneReady()) reader.cut();
    else reader.write(frames, 1);
  }

  #isAnyoneReady(): boolean {
    for (const reader of this.#readers) if (!reader.isBehind) return true;
    return false;
  }
}
