import type { Neighbours, Presence } from '../cluster/neighbours.ts';
import type { ReplyClaim, ReplyClaims, ReplyEnding, ToldError, ToldReply } from '../cluster/reply-claims.ts';
import { assert } from '../core/assert.ts';
import type { Clock, Timer } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { within } from '../core/within.ts';
import type { EventStreamWriter } from '../http/exchange.ts';
import { answerUnderWay } from './answer-under-way.ts';
import type { ReplyEnd } from './reply-end.ts';
import type { ReplyTarget } from './reply-target.ts';

export interface ReaderParts {
  readonly clock: Clock;
  readonly claims: Pick<ReplyClaims, 'read' | 'want'>;
  readonly neighbours: Neighbours;
  readonly unseal: (sealed: string) => string;
  /** What the reply is told to here. */
  readonly target: ReplyTarget;
  readonly signal: AbortSignal;
  /** The last frame of an answer that broke off, in the client's format. */
  readonly errorFrame: (error: unknown) => string;
  readonly onFirstByte: () => void;
}

/** How often the store is looked at for more. */
const lookEveryMs = 200;
/** How often it is said that somebody reads. */
const wantEveryMs = 3000;
/** How long the store may take for a look. */
const storePatienceMs = 3000;
/** Who has said nothing for so long is asked after. */
const askAfterMs = 1000;
/** A process that lives, but does nothing, or that nobody can ask after, is waited for so long. */
const silencePatienceMs = 5000;
/** One that may be dead is known to be after so long, or was not. */
const deathPatienceMs = 45_000;

/**
 * Reads a reply that another process makes, and tells it here as it comes. Resolves with nothing if there is no such
 * reply any more and nothing of it was told: then it may be made anew, which is never so while its process may still be
 * at it. Rejects with what the client is to be told if nothing was.
 */
export async function readElsewhere(claim: ReplyClaim, parts: ReaderParts): Promise<ReplyEnd | undefined> {
  const reading = new Reading(claim, parts);
  try {
    return await reading.toItsEnd();
  } catch (error) {
    return reading.breakOff(error);
  } finally {
    reading.stop();
  }
}

class Reading {
  readonly #claim: ReplyClaim;
  readonly #parts: ReaderParts;
  #writer: EventStreamWriter | undefined;
  /** Characters read so far. */
  #at = 0;
  /** When there last was a sign of life. */
  #signMs: number;
  #askedMs = Number.NEGATIVE_INFINITY;
  #answered: Presence = 'unknown';
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
      const told = await this.#look();
      if (told === 'nothing') return this.#lost();
      if (told?.ending) return this.#endWith(this.#textOf(told), told.ending);
      const presence = await this.#presence();
      if (presence === 'gone') return this.#lost();
      // The first word commits this client to an answer that somebody has to go on with.
      if (told && (this.#writer || presence === 'alive')) await this.#write(this.#textOf(told));
      await this.#pause((wake) => this.#parts.clock.after(lookEveryMs, wake));
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

  /** What is new; `undefined` while the store cannot be asked. */
  async #look(): Promise<ToldReply | 'nothing' | undefined> {
    const { clock, claims, signal } = this.#parts;
    const bounds = { clock, patienceMs: storePatienceMs, signal };
    try {
      if (clock.elapsed() - this.#wantedMs >= wantEveryMs) {
        await within(claims.want(this.#claim.id), bounds);
        this.#wantedMs = clock.elapsed();
      }
      return (await within(claims.read(this.#claim.id, this.#at), bounds)) ?? 'nothing';
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

  async #write(text: string): Promise<void> {
    if (text === '') return;
    this.#signMs = this.#parts.clock.elapsed();
    const writer = this.#open();
    if (!writer.write(text)) await this.#pause((wake) => writer.onDrain(wake));
  }

  #open(): EventStreamWriter {
    if (this.#writer) return this.#writer;
    this.#parts.onFirstByte();
    this.#writer = this.#parts.target.openEventStream();
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

  /** How its process is: asked once, and again when it has said nothing for a while. Throws when it was waited for long enough. */
  async #presence(): Promise<Presence> {
    const { clock, neighbours, signal } = this.#parts;
    const nowMs = clock.elapsed();
    const lastMs = this.#answered === 'alive' ? Math.max(this.#askedMs, this.#signMs) : this.#askedMs;
    if (nowMs - lastMs < askAfterMs) return this.#answered;
    this.#askedMs = nowMs;
    const presence = await within(neighbours.presenceOf(this.#claim.process), {
      clock,
      patienceMs: storePatienceMs,
      signal,
    }).catch(() => 'unknown' as const);
    signal.throwIfAborted();
    this.#answered = presence;
    if (presence === 'alive') this.#signMs = nowMs;
    const patienceMs = presence === 'vanished' ? deathPatienceMs : silencePatienceMs;
    if (presence !== 'gone' && nowMs - this.#signMs >= patienceMs) {
      throw answerUnderWay('Its process cannot be reached just now.');
    }
    return presence;
  }

  #lost(): undefined {
    // Another answer would not go on where this one broke off.
    if (this.#writer) throw new GatewayError('upstream-failed', { detail: brokenOff });
    return undefined;
  }

  #pause(until: (wake: () => void) => Timer | void): Promise<void> {
    return new Promise((resolve) => {
      const timer = until(resolve);
      this.#wake = () => {
        this.#parts.clock.cancel(timer ?? undefined);
        resolve();
      };
    });
  }
}

const brokenOff = 'The process that was answering this request has ended. Send it again for another answer.';

function errorOf({ case: errorCase, ...told }: ToldError): GatewayError {
  return new GatewayError(errorCase, told);
}
