import { assert } from 'chat-formats/assert.ts';
import { AdaptiveLimit, type LearnedLimit } from '../queue/adaptive-limit.ts';
import type { LimitShare } from './limit-share.ts';

/** This many refusals without an answer in between are no accident: the model cools down. */
const refusalsInARow = 3;
/** The shortest cooldown. It doubles each time it was too short, up to `cooldownDoublingMaxMs`. */
const cooldownLeastMs = 125;
const cooldownDoublingMaxMs = 1000;
/** After a refusal the next call waits until another running answer begins or ends, but no longer than this. */
const gapMs = 100;

/**
 * The concurrency limit and cooldown of one credential for one model: providers limit each combination. After one
 * refusal only the refused request backs off. After several in a row the model cools down. The concurrency limit
 * follows the share of refused calls.
 */
export class ModelLimiter {
  readonly #elapsed: () => number;
  readonly #limit: AdaptiveLimit;
  #running = 0;
  /** Running calls that have neither begun to answer nor been refused. */
  #undecided = 0;
  #refusals = 0;
  /** The latest end of a pause that the refusals in a row have requested. */
  #requestedUntilMs = 0;
  #cooldownUntilMs = 0;
  #gapUntilMs = 0;
  /** Divides the limit among processes, if there are several. */
  #share: LimitShare | undefined;

  constructor(max: () => number, elapsed: () => number, share?: (limit: () => number) => LimitShare) {
    this.#elapsed = elapsed;
    this.#limit = new AdaptiveLimit(max);
    this.#share = share?.(() => this.limit);
  }

  /** How many calls may run at once, in all processes that use the credential. */
  get limit(): number {
    return this.#limit.current;
  }

  /** How many of them may run in this process. */
  get #allowed(): number {
    return this.#share?.isDivided ? Math.min(this.limit, this.#share.allowed) : this.limit;
  }

  /** How much longer the cooldown lasts; 0 if there is none. */
  get cooldownMs(): number {
    const requestedUntilMs = this.#isRefusing ? this.#requestedUntilMs : 0;
    return Math.max(0, this.#cooldownUntilMs - this.#elapsed(), requestedUntilMs - this.#elapsed());
  }

  /** Whether a call may be made now. After a cooldown one call tests for all whether it was long enough. */
  get isOpen(): boolean {
    // While no limit was learned, the slots of the upstream are the limit, and requests wait for those in its queue.
    if ((this.#limit.isLowered || this.#share?.isDivided) && this.#running >= this.#allowed) {
      this.#share?.want();
      return false;
    }
    return !(this.#isRefusing && this.#undecided > 0) && this.closedMs === 0;
  }

  /** How long until time alone opens it. */
  get closedMs(): number {
    return Math.max(this.cooldownMs, this.#gapUntilMs - this.#elapsed(), 0);
  }

  get isForgettable(): boolean {
    return this.#running === 0 && this.#refusals === 0 && !this.#limit.isLowered && this.closedMs === 0;
  }

  /** A call starts. Follow it with `accepted` and `ended`, or with `refused`, or with `givenUp`. */
  take(): void {
    this.#running += 1;
    this.#undecided += 1;
    this.#share?.counted(this.#running);
  }

  accepted(): void {
    this.#decided();
    this.#learn(() => this.#limit.accepted(this.#share?.mayGrow));
    this.#answered();
  }

  /** The provider refused a call and requested a pause. Returns whether the model begins to cool down. */
  refused(pauseMs: number): boolean {
    const now = this.#elapsed();
    this.#over();
    this.#decided();
    this.#refusals += 1;
    const leastMs = this.#isRefusing
      ? Math.min(cooldownLeastMs * 2 ** (this.#refusals - refusalsInARow), cooldownDoublingMaxMs)
      : 0;
    this.#requestedUntilMs = Math.max(this.#requestedUntilMs, now + pauseMs, now + leastMs);
    const running = this.#running + (this.#share?.elsewhere(this.#running) ?? 0);
    this.#learn(() => this.#limit.refused({ running, undecided: this.#undecided }));
    if (!this.#isRefusing && this.#running > 0) this.#gapUntilMs = now + gapMs;
    this.#coolDownIfSure();
    return this.#refusals === refusalsInARow;
  }

  /** Another process was refused: cools down here for as long. */
  coolDownFor(ms: number): void {
    this.#cooldownUntilMs = Math.max(this.#cooldownUntilMs, this.#elapsed() + ms);
  }

  adopt(learned: LearnedLimit): void {
    this.#limit.adopt(learned);
    this.#share?.divide(this.#limit.isLowered, this.#running);
  }

  /** No longer in use, except for running calls: other processes need not share the limit with this one. */
  leave(): void {
    this.#share?.divide(false, this.#running);
    this.#share = undefined;
  }

  /** A call ended, for any reason, before the provider accepted or refused it. */
  givenUp(): void {
    this.#over();
    this.#decided();
    this.#coolDownIfSure();
  }

  ended(): void {
    this.#over();
    this.#answered();
  }

  /** Calls made before the refusals were known may still be accepted; then the refusals were an accident. */
  #coolDownIfSure(): void {
    if (this.#isRefusing && this.#undecided === 0)
      this.#cooldownUntilMs = Math.max(this.#cooldownUntilMs, this.#requestedUntilMs);
  }

  /** The provider serves this model. A cooldown that has started goes on: the provider requested it. */
  #answered(): void {
    this.#refusals = 0;
    this.#requestedUntilMs = 0;
    this.#gapUntilMs = 0;
  }

  /** Broadcasts a newly learned limit, so that all processes divide it. */
  #learn(update: () => void): void {
    const before = this.#limit.learned.level;
    update();
    const { learned } = this.#limit;
    if (!this.#share || learned.level === before) return;
    this.#share.divide(this.#limit.isLowered, this.#running);
    this.#share.broadcast(learned);
  }

  #over(): void {
    assert(this.#running > 0, 'only a running call can end');
    this.#running -= 1;
    this.#share?.counted(this.#running);
  }

  #decided(): void {
    assert(this.#undecided > 0, 'a call is accepted, refused or given up once');
    this.#undecided -= 1;
  }

  get #isRefusing(): boolean {
    return this.#refusals >= refusalsInARow;
  }
}
