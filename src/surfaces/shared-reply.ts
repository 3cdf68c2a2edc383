import type { WholeEnding } from '../cluster/reply-claims.ts';
import type { Clock, Timer } from '../core/clock.ts';
import type { EventStreamWriter, Exchange } from '../http/exchange.ts';
import type { JoinableReply, ReplayBuffer } from './joinable-reply.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ReplyTarget } from './reply-target.ts';
import type { ServedRequest } from './served-request.ts';
import { ReplyReader } from './reply-reader.ts';
import { KeepAlives } from './keep-alives.ts';

interface First {
  readonly id: string;
  /** The first reader; none of a reply that is complete. */
  readonly exchange: Exchange | undefined;
  readonly request: ServedRequest;
  /** How long it goes on for a client that may come back after everyone has left. */
  readonly lingerMs: number;
  readonly clock: Clock;
  /** What it has said already, all of it to the first client. */
  readonly said?: readonly string[] | undefined;
  /** The first client has not taken all of it yet, and the provider was told to wait. */
  readonly isBehind?: boolean | undefined;
  readonly replayBuffer?: ReplayBuffer | undefined;
}

/** Resolves when other processes find a whole reply, or when that is not waited for any longer. */
type RecordWhole = (whole: string, ending: WholeEnding) => Promise<void>;

/**
 * One reply for the request that asked for it and for retries of it: each reader gets the same bytes from the first one
 * on, at its own pace. The fastest sets the pace of the provider. When the last has left, and none came back in time,
 * so has the client.
 */
export class SharedReply implements JoinableReply, ReplyTarget, EventStreamWriter {
  readonly id: string;
  readonly request: ServedRequest;
  readonly #lingerMs: number;
  readonly #clock: Clock;
  readonly #readers = new Set<ReplyReader>();
  readonly #leaving = new AbortController();
  #replayBuffer: ReplayBuffer | undefined;
  #said: string[] | undefined;
  #whole: readonly [status: number, contentType: string, body: string] | undefined;
  /** What kind of bytes it is a stream of, if not of events. */
  #contentType: string | undefined;
  #isComplete = false;
  #onDrain: () => void = () => {};
  #isPaused = false;
  #linger: Timer | undefined;
  /** Has other processes find it, once it is whole. */
  #record: RecordWhole | undefined;
  /** While another process makes it. */
  #signs: KeepAlives | undefined;

  constructor({ id, exchange, request, lingerMs, clock, said, isBehind = false, replayBuffer }: First) {
    this.id = id;
    this.request = request;
    this.#lingerMs = lingerMs;
    this.#clock = clock;
    this.#replayBuffer = replayBuffer;
    this.#said = said && [...said];
    this.#isComplete = exchange === undefined;
    if (!exchange) return;
    const first = new ReplyReader(exchange, () => {}, said?.length);
    if (isBehind) first.waitForDrain();
    this.#isPaused = isBehind;
    this.#admit(first);
  }

  /** Aborts when nobody wants the reply any more. */
  get gone(): AbortSignal {
    return this.#leaving.signal;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Whether a retry can join it in another process, where a stream of bytes cannot be told. */
  get isKept(): boolean {
    return this.#said !== undefined && this.#contentType === undefined;
  }

  /** Another process makes it, which may end at any time: this hears of its signs of life. */
  madeElsewhere(): KeepAlives {
    this.#signs ??= new KeepAlives();
    return this.#signs;
  }

  /** It is made in this process from now on, and its end goes out when it is recorded. */
  madeHere(record: RecordWhole): void {
    this.#record = record;
    this.#signs?.over(true);
    this.#signs = undefined;
  }

  /** What is longer than a process keeps is not recorded either. */
  recorded(last: string, ending: WholeEnding): Promise<void> | undefined {
    if (!this.isKept || this.#replayBuffer?.fits(last.length) !== true) return undefined;
    return this.#record?.((this.#said ?? []).join('') + last, ending);
  }

  goesOn(): Promise<boolean> | undefined {
    return this.#signs?.next();
  }

  /** From now on it keeps what it says, as long as there is room. */
  keepOn(replayBuffer: ReplayBuffer): void {
    this.#replayBuffer = replayBuffer;
    this.#said = [];
  }

  /** Sends a retry everything from the start, and what follows. Only while it is on a replay buffer. */
  follow(exchange: ReplyTarget, onFirstByte: () => void): Promise<ReplyEnd> {
    const reader = new ReplyReader(exchange, onFirstByte);
    reader.contentType = this.#contentType;
    const said = this.#said ?? [];
    this.#clock.cancel(this.#linger);
    if (this.#isComplete) {
      if (this.#whole) reader.send(...this.#whole);
      else reader.end(said.join(''));
      reader.close({ error: undefined, isCommitted: true });
      return reader.over;
    }
    if (said.length > 0) reader.write(said.join(''), said.length);
    this.#admit(reader);
    return reader.over;
  }

  openEventStream(contentType?: string): EventStreamWriter {
    this.#contentType = contentType;
    for (const reader of this.#readers) reader.contentType = contentType;
    return this;
  }

  write(frames: string): boolean {
    // Pieces are counted to know what a reader has seen, and nobody can see an empty one.
    if (frames === '') return !this.#isPaused;
    this.#keep(frames);
    this.#toAll((reader) => {
      if (!reader.isBehind) reader.write(frames, 1);
      else if (!this.#said) this.#pressOn(reader, frames);
    });
    this.#isPaused = this.hasReaders && !this.#isAnyoneReady();
    return !this.#isPaused;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  end(lastFrames = ''): void {
    this.#keep(lastFrames);
    this.#isComplete = true;
    this.#toAll((reader) => reader.end(this.#unseen(reader) ?? lastFrames));
  }

  breakOff(lastFrames: string, error: unknown): void {
    this.#keep(lastFrames);
    this.#isComplete = true;
    this.#toAll((reader) => reader.endBroken(this.#unseen(reader) ?? lastFrames, error));
  }

  destroy(): void {
    this.#toAll((reader) => reader.cut());
  }

  send(status: number, contentType: string, body: string): void {
    this.#keep(body);
    this.#isComplete = true;
    this.#whole = [status, contentType, body];
    this.#toAll((reader) => reader.send(status, contentType, body));
  }

  fail(error: unknown): void {
    this.forget();
    this.#toAll((reader) => reader.fail(error));
  }

  /** Everyone who reads hears how it ended. Only what is whole is kept for those who may still come. */
  close(end: ReplyEnd): void {
    this.#clock.cancel(this.#linger);
    for (const reader of this.#readers) reader.close(end);
    this.#readers.clear();
    // What is kept is what was said, not the connections and the provider behind it.
    this.#onDrain = () => {};
    this.#record = undefined;
    if (end.error !== undefined || end.isClientGone) this.forget();
    if (this.#said) this.#replayBuffer?.finish();
    else this.#replayBuffer?.leave();
    this.#signs?.over(false);
    this.#signs = undefined;
  }

  /** Gives the room back; whoever reads goes on reading. */
  forget(): void {
    if (!this.#said) return;
    const said = this.#said;
    this.#said = undefined;
    this.#whole = undefined;
    this.#replayBuffer?.clear();
    this.#toAll((reader) => {
      if (reader.next < said.length) this.#pressOn(reader, said.slice(reader.next).join(''));
    });
  }

  /** Nobody is there and nobody is waited for. */
  abandon(): void {
    this.#clock.cancel(this.#linger);
    this.forget();
    this.#leaving.abort();
  }

  #admit(reader: ReplyReader): void {
    this.#readers.add(reader);
    reader.onCaughtUp(() => this.#caughtUp(reader));
    reader.onGone(() => this.#left(reader));
    this.#goOn();
  }

  /** A mistake with one of several readers is that reader's end; with the only one it is the reply's. */
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

  #left(reader: ReplyReader): void {
    if (!this.#readers.delete(reader)) return;
    reader.close({ error: undefined, isCommitted: reader.next > 0 });
    if (!this.hasReaders && !this.#isComplete) {
      if (!this.#said || this.#lingerMs === 0) return this.abandon();
      this.request.note('its client left, and it ran on for a retry');
      this.#linger = this.#clock.after(this.#lingerMs, () => this.abandon());
    }
    this.#goOn();
  }

  /** The provider may go on when anybody keeps up with it, or nobody is there who could not. */
  #goOn(): void {
    if (!this.#isPaused || (this.hasReaders && !this.#isAnyoneReady())) return;
    this.#isPaused = false;
    this.#onDrain();
  }

  #caughtUp(reader: ReplyReader): void {
    if (this.#isComplete || !this.#readers.has(reader)) return;
    try {
      const unseenPieces = (this.#said?.length ?? 0) - reader.next;
      if (unseenPieces > 0) reader.write(this.#unseen(reader) ?? '', unseenPieces);
    } catch (error) {
      // Nobody waits for a socket's callback: the reader is let go as if it had left.
      reader.breakOff(error);
      return this.#left(reader);
    }
    this.#goOn();
  }

  /** What is kept and the reader has not been sent; nothing can be said of it where nothing is kept. */
  #unseen({ next }: ReplyReader): string | undefined {
    return this.#said?.slice(next).join('');
  }

  #keep(piece: string): void {
    if (!this.#said || piece === '') return;
    if (this.#replayBuffer?.take(piece.length)) this.#said.push(piece);
    else if (this.hasReaders) this.forget();
    else this.abandon();
  }

  /** Nothing is kept for a reader that is behind: it is sent what there is, unless another could outrun it for ever. */
  #pressOn(reader: ReplyReader, frames: string): void {
    if (this.#isAnyoneReady()) reader.cut();
    else reader.write(frames, 1);
  }

  #isAnyoneReady(): boolean {
    for (const reader of this.#readers) if (!reader.isBehind) return true;
    return false;
  }
}
