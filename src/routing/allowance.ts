import { assert } from '../core/assert.ts';
import { AdaptiveLimit, type LearnedLimit } from './adaptive-limit.ts';
import type { LimitShare } from './limit-share.ts';

/** So many refusals with no answer in between are no accident: from then on the model cools down. */
const refusalsInARow = 3;
/** A model cools down so long at least, longer each time that was not enough, up to the other. */
const cooldownLeastMs = 125;
const cooldownUnaskedMs = 1000;
/** After a refusal the next call waits for an answer beside it to begin or to end, but no longer than this. */
const breathMs = 100;

/**
 * What one credential may do with one model of its provider: providers set their limits for both. A refusal rests the
 * request that met it; only several in a row rest the model, and how many run at once follows the share refused.
 */
export class Allowance {
  readonly #elapsed: () => number;
  readonly #limit: AdaptiveLimit;
  #running = 0;
  /** Those of the running that have neither begun nor been refused yet. */
  #undecided = 0;
  #refusals = 0;
  /** The latest moment that the refusals in a row have asked for. */
  #askedUntilMs = 0;
  #cooldownUntilMs = 0;
  #breathesUntilMs = 0;
  /** What other processes have to do with it, where there are any. */
  #share: LimitShare | undefined;

  constructor(max: () => number, elapsed: () => number, share?: (limit: () => number) => LimitShare) {
    this.#elapsed = elapsed;
    this.#limit = new AdaptiveLimit(max);
    this.#share = share?.(() => this.limit);
  }

  /** How many may run at once, in all processes that use the credential. */
  get limit(): number {
    return this.#limit.current;
  }

  /** How many of them may run here. */
  get #allowed(): number {
    return this.#share?.isDivided ? Math.min(this.limit, this.#share.allowed) : this.limit;
  }

  /** How much longer the provider wants to be left alone; 0 when it does not. */
  get cooldownMs(): number {
    const asked = this.#isDoubted ? this.#askedUntilMs : 0;
    return Math.max(0, this.#cooldownUntilMs - this.#elapsed(), asked - this.#elapsed());
  }

  /** Whether a call may be made now. After a rest one finds out for all whether it was long enough. */
  get isOpen(): boolean {
    // While no limit was learned, the slots of the upstream are the limit, and requests wait for those in its queue.
    if ((this.#limit.isLowered || this.#share?.isDivided) && this.#running >= this.#allowed) {
      this.#share?.want();
      return false;
    }
    return !(this.#isDoubted && this.#undecided > 0) && this.closedMs === 0;
  }

  /** How long time alone keeps it closed. */
  get closedMs(): number {
    return Math.max(this.cooldownMs, this.#breathesUntilMs - this.#elapsed(), 0);
  }

  /** Whether there is nothing to remember of it. */
  get isPlain(): boolean {
    return this.#running === 0 && this.#refusals === 0 && !this.#limit.isLowered && this.closedMs === 0;
  }

  /** A call is made: it is accepted, refused or given up, and in the end it is over. */
  take(): void {
    this.#running += 1;
    this.#undecided += 1;
    this.#share?.counted(this.#running);
  }

  /** An answer has begun. */
  accepted(): void {
    this.#decided();
    this.#learn(() => this.#limit.accepted(this.#share?.mayGrow));
    this.#answered();
  }

  /** A call is over because the provider had no room for it; it asked for that long a pause. Says whether the model begins to rest. */
  refused(pauseMs: number): boolean {
    const now = this.#elapsed();
    this.#over();
    this.#decided();
    this.#refusals += 1;
    const leastMs = this.#isDoubted
      ? Math.min(cooldownLeastMs * 2 ** (this.#refusals - refusalsInARow), cooldownUnaskedMs)
      : 0;
    this.#askedUntilMs = Math.max(this.#askedUntilMs, now + pauseMs, now + leastMs);
    const running = this.#running + (this.#share?.elsewhere(this.#running) ?? 0);
    this.#learn(() => this.#limit.refused({ running, undecided: this.#undecided }));
    if (!this.#isDoubted && this.#running > 0) this.#breathesUntilMs = now + breathMs;
    this.#coolDownIfSure();
    return this.#refusals === refusalsInARow;
  }

  /** Another process was refused: it is left alone here as long. */
  coolDownFor(ms: number): void {
    this.#cooldownUntilMs = Math.max(this.#cooldownUntilMs, this.#elapsed() + ms);
  }

  /** Another process has found out how many may run at once in all of them. */
  adopt(learned: LearnedLimit): void {
    this.#limit.adopt(learned);
    this.#share?.divide(this.#limit.isLowered, this.#running);
  }

  /** It is not used any more, but for what still runs: others need not share it with this process. */
  leave(): void {
    this.#share?.divide(false, this.#running);
    this.#share = undefined;
  }

  /** A call is over that the provider did not decide about, for whatever reason. */
  givenUp(): void {
    this.#over();
    this.#decided();
    this.#coolDownIfSure();
  }

  /** An answer that had begun is over. */
  ended(): void {
    this.#over();
    this.#answered();
  }

  /** Calls that were made before the refusals were known may still begin, and then the refusals were an accident. */
  #coolDownIfSure(): void {
    if (this.#isDoubted && this.#undecided === 0)
      this.#cooldownUntilMs = Math.max(this.#cooldownUntilMs, this.#askedUntilMs);
  }

  /** The provider serves this model. A rest that is sure is kept all the same: it was asked for. */
  #answered(): void {
    this.#refusals = 0;
    this.#askedUntilMs = 0;
    this.#breathesUntilMs = 0;
  }

  /** What is found out all should know, and divide among them. */
  #learn(find: () => void): void {
    const before = this.#limit.learned.level;
    find();
    const { learned } = this.#limit;
    if (!this.#share || learned.level === before) return;
    this.#share.divide(this.#limit.isLowered, this.#running);
    this.#share.tell(learned);
  }

  #over(): void {
    assert(this.#running > 0, 'a call that was not made is not over');
    this.#running -= 1;
    this.#share?.counted(this.#running);
  }

  #decided(): void {
    assert(this.#undecided > 0, 'a call is decided about once');
    this.#undecided -= 1;
  }

  get #isDoubted(): boolean {
    return this.#refusals >= refusalsInARow;
  }
}
