import type { Peers, Presence } from '../cluster/peers.ts';
import type { ReplyClaim, ReplyClaims, ReplyEnding, ToldError, ToldReply } from '../cluster/reply-claims.ts';
import { assert } from '../core/assert.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { within } from '../core/within.ts';
import type { EventStreamWriter } from '../http/exchange.ts';
import { answerUnderWay } from './answer-under-way.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ReplyTarget } from './reply-target.ts';
import type { Sign, KeepAlives } from './keep-alives.ts';

export interface ReaderParts {
  readonly clock: Clock;
  readonly claims: Pick<ReplyClaims, 'read' | 'want'>;
  readonly peers: Peers;
  readonly unseal: (sealed: string) => string;
  /** What the reply is told to here. */
  readonly target: ReplyTarget;
  readonly signal: AbortSignal;
  /** The last frame of an answer that broke off, in the client's format. */
  readonly errorFrame: (error: unknown) => string;
  readonly onFirstByte: () => void;
  /** Hears of each sign that the process still makes it. */
  readonly signs: KeepAlives;
}

/** How often the store is looked at for more. */
const lookEveryMs = 200;
/** How often it is said that somebody reads. */
const wantEveryMs = 3000;
/** How long the store may take for a look. */
const storeTimeoutMs = 3000;
/** A process that has said nothing for so long is asked after. */
const askAfterMs = 1000;
/** Before its first sign of life it is asked after this often. */
const askUnsureMs = 500;
/** A process that lives, but does nothing, or that nobody can ask after, is waited for so long. */
const silenceTimeoutMs = 5000;
/** One that may be dead is known to be after so long, or was not. */
const deathTimeoutMs = 45_000;

/**
 * Reads a reply that another process makes, and tells it here as it comes. Resolves with nothing if there is no such
 * reply any more and nothing of it was told: then it may be made anew, which is never so while its process may still be
 * at it. Rejects with what the client is to be told if nothing was.
 */
export async function readElsewhere(claim: ReplyClaim, parts: ReaderParts): Promise<ReplyEnd | undefined> {
  const reading = new RemoteReader(claim, parts);
  try {
    return await reading.toItsEnd();
  } catch (error) {
    return reading.breakOff(error);
  } finally {
    reading.stop();
  }
}

class RemoteReader {
  readonly #claim: ReplyClaim;
  readonly #parts: ReaderParts;
  #writer: EventStreamWriter | undefined;
  /** Characters read so far. */
  #at = 0;
  /** Characters that the store has, as far as this reader has looked; nothing before the first look. */
  #known: number | undefined;
  /** Whether the process has shown that it lives since this reader came: until then none of its words are passed on. */
  #isSure = false;
  /** The client reads slower than it is written to. */
  #isBehind = false;
  /** When its process was last taken to live. */
  #signMs: number;
  #askedMs = Number.NEGATIVE_INFINITY;
  #answered: Presence = 'unknown';
  #reports: number | undefined;
  #wantedMs = Number.NEGATIVE_INFINITY;
  /** Ends the pause that it is in. */
  #wake: () => void = () => {};

  constructor(claim: ReplyClaim, parts: ReaderParts) {
    this.#claim = claim;
    this.#parts = parts;
    this.#signMs = parts.clock.elapsed();
    parts.signal.addEventListener('abort', this.#cut);
  }

  async toItsEnd(): Promise<ReplyEnd | undefined> {
    for (;;) {
      this.#parts.signal.throwIfAborted();
      const from = this.#from;
      const told = this.#isBehind ? undefined : await this.#look(from);
      if (told === 'nothing') return this.#lost();
      if (told && this.#isFirstSign(told)) continue;
      if (told?.ending) return this.#endWith(this.#textOf(told), told.ending);
      const presence = await this.#presence();
      if (presence === 'gone' && !this.#isBehind) return this.#bereft();
      // The first word commits this client to an answer that somebody has to go on with.
      if (told && this.#isSure && from === this.#at) this.#write(this.#textOf(told));
      await this.#pause();
    }
  }

  /** Once something was said, an error is a frame; until then it is whoever reads on who tells it. */
  breakOff(error: unknown): ReplyEnd {
    const { target, errorFrame } = this.#parts;
    if (!this.#writer) throw error;
    if (target.gone.aborted) return { error: undefined, isClientGone: true, isCommitted: true };
    this.#writer.breakOff(errorFrame(error), error);
    return { error, isClientGone: false, isCommitted: true };
  }

  stop(): void {
    this.#parts.signal.removeEventListener('abort', this.#cut);
  }

  readonly #cut = (): void => this.#wake();

  /** While it is not sure that the reply goes on, only what is new is of interest, and not what it says. */
  get #from(): number {
    return this.#isSure ? this.#at : (this.#known ?? 0);
  }

  /** Whether this is the first sign of life: text that was not there when this reader came, or the end. */
  #isFirstSign({ pieces, ending }: ToldReply): boolean {
    if (this.#isSure) return false;
    const known = this.#known;
    const last = pieces.at(-1);
    this.#known = Math.max(known ?? 0, last ? last.start + last.length : 0);
    if (known === undefined || (this.#known === known && !ending)) return false;
    this.#found('text');
    return true;
  }

  #found(sign: Sign): void {
    this.#isSure = true;
    this.#parts.signs.found(sign);
  }

  /** What is new from a character on; `undefined` while the store cannot be asked. */
  async #look(from: number): Promise<ToldReply | 'nothing' | undefined> {
    const { clock, claims, signal, signs } = this.#parts;
    const bounds = { clock, timeoutMs: storeTimeoutMs, signal };
    signs.looksFor('text');
    try {
      if (clock.elapsed() - this.#wantedMs >= wantEveryMs) {
        await within(claims.want(this.#claim.id), bounds);
        this.#wantedMs = clock.elapsed();
      }
      return (await within(claims.read(this.#claim.id, from), bounds)) ?? 'nothing';
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  #textOf({ pieces }: ToldReply): string {
    let text = '';
    for (const { start, length, sealed } of pieces) {
      assert(start <= this.#at, 'nothing of a reply is left out');
      if (start + length <= this.#at) continue;
      text += this.#parts.unseal(sealed).slice(this.#at - start);
      this.#at = start + length;
    }
    return text;
  }

  #write(text: string): void {
    if (text === '') return;
    this.#signMs = this.#parts.clock.elapsed();
    this.#found('text');
    this.#isBehind = !this.#open().write(text);
  }

  #open(): EventStreamWriter {
    if (this.#writer) return this.#writer;
    this.#parts.onFirstByte();
    this.#writer = this.#parts.target.openEventStream();
    this.#writer.onDrain(() => {
      this.#isBehind = false;
      this.#wake();
    });
    return this.#writer;
  }

  #endWith(text: string, ending: ReplyEnding): ReplyEnd {
    const { target } = this.#parts;
    const whole = { error: undefined, isClientGone: target.gone.aborted, isCommitted: true };
    switch (ending.kind) {
      case 'stream':
        this.#open().end(text);
        return whole;
      case 'body':
        this.#parts.onFirstByte();
        target.send(ending.status, ending.contentType, text);
        return whole;
      case 'broken': {
        const error = errorOf(ending);
        this.#open().breakOff(text, error);
        return { error, isClientGone: false, isCommitted: true };
      }
      case 'failed':
        throw errorOf(ending);
      case 'untellable':
        throw answerUnderWay('It is too long to be given twice.');
      default:
        return ending satisfies never;
    }
  }

  /** How its process is: asked again while that is not sure, and when it has said nothing for a while. Throws when it was waited for long enough. */
  async #presence(): Promise<Presence> {
    const { clock, peers, signal, signs } = this.#parts;
    const nowMs = clock.elapsed();
    const isTalking = this.#isSure && this.#answered === 'alive';
    const lastMs = isTalking ? Math.max(this.#askedMs, this.#signMs) : this.#askedMs;
    if (nowMs - lastMs < (this.#isSure ? askAfterMs : askUnsureMs)) return this.#answered;
    this.#askedMs = nowMs;
    signs.looksFor('report');
    const { presence, reports } = await within(peers.sightingOf(this.#claim.process), {
      clock,
      timeoutMs: storeTimeoutMs,
      signal,
    }).catch(() => ({ presence: 'unknown' as const, reports: this.#reports ?? 0 }));
    signal.throwIfAborted();
    this.#answered = presence;
    if (presence === 'alive') {
      this.#signMs = nowMs;
      if (reports > (this.#reports ?? reports)) this.#found('report');
      this.#reports = reports;
    }
    const timeoutMs = presence === 'vanished' ? deathTimeoutMs : silenceTimeoutMs;
    if (presence !== 'gone' && nowMs - this.#signMs >= timeoutMs) {
      throw answerUnderWay('Its process cannot be reached just now.');
    }
    return presence;
  }

  /** Its process is gone: the last it did may have been to end the reply. */
  async #bereft(): Promise<ReplyEnd | undefined> {
    this.#isSure = true;
    const told = await this.#look(this.#at);
    if (told === undefined || told === 'nothing' || !told.ending) return this.#lost();
    return this.#endWith(this.#textOf(told), told.ending);
  }

  #lost(): undefined {
    // Another answer would not go on where this one broke off.
    if (this.#writer) throw new GatewayError('upstream-failed', { detail: brokenOff });
    return undefined;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#parts.clock.after(lookEveryMs, resolve);
      this.#wake = () => {
        this.#parts.clock.cancel(timer);
        resolve();
      };
    });
  }
}

const brokenOff = 'The process that was answering this request has ended. Send it again for another answer.';

function errorOf({ case: errorCase, ...told }: ToldError): GatewayError {
  return new GatewayError(errorCase, told);
}
