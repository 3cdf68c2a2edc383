import type { ReplyClaims, ReplyEnding, ToldError, WholeEnding } from '../cluster/reply-claims.ts';
import type { Clock } from '../core/clock.ts';
import { caseOf, GatewayError } from '../core/gateway-error.ts';
import type { EventStreamWriter } from '../http/exchange.ts';
import type { ReplyTarget } from './reply-target.ts';

export interface CarrierParts {
  /** The claim's. */
  readonly id: string;
  readonly clock: Clock;
  readonly claims: Pick<ReplyClaims, 'tell'>;
  readonly seal: (text: string) => string;
  /** How many characters of the reply the store has already. */
  readonly from: number;
}

/** While more than this waits for the store, nothing is read faster for its sake. */
const pendingMax = 256 * 1024;
/** The store is told at most so often: those who read there look no more often. */
const tellEveryMs = 150;

/**
 * A reader of a reply that stands for all who read it in other processes: what it is sent, the store is told. A whole reply
 * is recorded before its end goes out; of one that broke off, the end is told when its claim is concluded.
 */
export class RelayedReply implements ReplyTarget, EventStreamWriter {
  readonly #parts: CarrierParts;
  readonly #leaving = new AbortController();
  #skip: number;
  #told: number;
  #pending = '';
  #ending: ReplyEnding | undefined;
  #telling: Promise<void> | undefined;
  #isBehind = false;
  #onDrain: () => void = () => {};
  /** Ends the pause between two writes. */
  #wake: () => void = () => {};

  constructor(parts: CarrierParts) {
    this.#parts = parts;
    this.#skip = parts.from;
    this.#told = parts.from;
  }

  /** Aborts when nobody reads elsewhere any more, or nobody can. */
  get gone(): AbortSignal {
    return this.#leaving.signal;
  }

  /** How many characters of the reply the store is sure to have. */
  get told(): number {
    return this.#told;
  }

  /** Whether it has heard how the reply ended. */
  get isEnded(): boolean {
    return this.#ending !== undefined;
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** Tells the store the rest, and how it ended. */
  async conclude(): Promise<void> {
    await this.#telling;
    await this.#tell(this.#ending);
  }

  /** Tells the store all that it lacks of a whole reply, and that it is whole. May be asked again when that has failed. */
  async record(whole: string, ending: WholeEnding): Promise<void> {
    this.#ending = ending;
    this.#wake();
    await this.#telling;
    this.#pending = whole.slice(this.#told);
    await this.#tell(ending);
  }

  openEventStream(): EventStreamWriter {
    return this;
  }

  write(frames: string): boolean {
    this.#take(frames);
    this.#telling ??= this.#keepTelling();
    this.#isBehind = this.#pending.length >= pendingMax;
    return !this.#isBehind;
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback;
  }

  end(lastFrames = ''): void {
    this.#endWith(lastFrames, { kind: 'stream' });
  }

  breakOff(lastFrames: string, error: unknown): void {
    this.#endWith(lastFrames, { kind: 'broken', ...toldError(error) });
  }

  send(status: number, contentType: string, body: string): void {
    this.#endWith(body, { kind: 'body', status, contentType });
  }

  fail(error: unknown): void {
    this.#endWith('', { kind: 'failed', ...toldError(error) });
  }

  /** It cannot keep up: nobody else is told anything more. */
  destroy(): void {
    this.leave();
  }

  #endWith(lastText: string, ending: ReplyEnding): void {
    this.#take(lastText);
    this.#ending ??= ending;
  }

  #take(text: string): void {
    if (this.isEnded) return;
    const skipped = Math.min(this.#skip, text.length);
    this.#skip -= skipped;
    this.#pending += text.slice(skipped);
  }

  /** One write at a time, each with all that came meanwhile. */
  async #keepTelling(): Promise<void> {
    try {
      while (this.#pending !== '' && !this.isEnded) {
        await this.#tell(undefined);
        await this.#pause();
      }
    } catch {
      // Whoever takes its place begins where the store's knowledge ends.
      this.leave();
    }
    this.#telling = undefined;
  }

  async #pause(): Promise<void> {
    const { clock } = this.#parts;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.after(tellEveryMs, resolve);
    this.#wake = () => {
      clock.cancel(timer);
      resolve();
    };
    if (!this.isEnded) await promise;
    this.#wake();
  }

  async #tell(ending: ReplyEnding | undefined): Promise<void> {
    const { id, claims, seal } = this.#parts;
    const text = this.#pending;
    const piece = { start: this.#told, length: text.length, sealed: seal(text) };
    await claims.tell(id, text === '' ? undefined : piece, ending);
    this.#pending = this.#pending.slice(text.length);
    this.#told += text.length;
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.#onDrain();
  }
}

function toldError(error: unknown): ToldError {
  const told = error instanceof GatewayError ? error : undefined;
  return {
    case: caseOf(error),
    detail: told?.detail,
    code: told?.code,
    details: told?.details,
    overflow: told?.overflow,
  };
}
