import type { Clock } from '../core/clock.ts';
import type { Health, Standing } from './health.ts';
import * as health from './health.ts';
import { pauseMsOf, refusalStatusOf, troubleOf, wordsOf } from './trouble.ts';

/** A change of a credential's standing that people should hear of. */
export interface HealthChange {
  readonly upstream: string;
  readonly credential: number;
  readonly standing: Standing;
  /** What brought it about; `undefined` when it is for the better. */
  readonly error: string | undefined;
}

const latencyNewShare = 0.2;

/** One credential of one upstream: what runs on it, how quick it is and how well. */
export class Credential {
  readonly upstream: string;
  readonly index: number;
  readonly #clock: Clock;
  readonly #changed: (change: HealthChange) => void;
  running = 0;
  /** Moving average of the time to the first content; `undefined` before the first. */
  latencyMs: number | undefined;
  lastError: { readonly words: string; readonly at: number } | undefined;
  health: Health = health.goodHealth;
  /** By the provider's names for its models: limits are set for each. */
  readonly #pausedUntil = new Map<string, number>();

  constructor(
    name: { readonly upstream: string; readonly index: number },
    clock: Clock,
    changed: (change: HealthChange) => void,
  ) {
    this.upstream = name.upstream;
    this.index = name.index;
    this.#clock = clock;
    this.#changed = changed;
  }

  get standing(): Standing {
    return health.standing(this.health, this.#clock.elapsed());
  }

  get share(): number {
    return health.share(this.health, this.#clock.elapsed());
  }

  /** How much longer the provider wants to be left alone with a model, or with any; 0 when it does not. */
  pausedMs(model?: string): number {
    const until = model === undefined ? Math.max(0, ...this.#pausedUntil.values()) : this.#pausedUntil.get(model);
    return Math.max(0, (until ?? 0) - this.#clock.elapsed());
  }

  sent(): void {
    this.running += 1;
    this.#become(health.sent(this.health, this.#clock.elapsed()));
  }

  /** The first content is here, that long after the request was sent. */
  begun(afterMs: number): void {
    this.latencyMs =
      this.latencyMs === undefined ? afterMs : this.latencyMs + latencyNewShare * (afterMs - this.latencyMs);
    this.#become(health.begun(this.health, this.#clock.elapsed()));
  }

  completed(): void {
    this.running -= 1;
    this.#become(health.completed(this.health));
  }

  /** The request ended for a reason of ours, such as a client that left. */
  untold(): void {
    this.running -= 1;
    this.#become(health.untold(this.health));
  }

  failed(error: unknown, model: string): void {
    this.running -= 1;
    const now = this.#clock.elapsed();
    const trouble = troubleOf(error);
    if (trouble === 'final' || trouble === 'local')
      return this.#become(refusalStatusOf(error) ? this.#alive(now) : health.untold(this.health));
    this.lastError = { words: wordsOf(error), at: this.#clock.now() };
    if (trouble === 'credential') return this.#become(health.refused(this.health, now));
    if (trouble !== 'busy') return this.#become(health.failed(this.health, now));
    this.#pausedUntil.set(model, Math.max(now + pauseMsOf(error), this.#pausedUntil.get(model) ?? 0));
    // Being asked to slow down is no defect; being unable to serve is.
    const isTooFast = refusalStatusOf(error) === tooFastStatus;
    this.#become(isTooFast ? health.untold(this.health) : health.failed(this.health, now));
  }

  /** A provider that refuses the request itself is well. */
  #alive(now: number): Health {
    return health.completed(health.begun(this.health, now));
  }

  #become(next: Health): void {
    const before = this.health;
    if (next === before) return;
    this.health = next;
    if (next.out?.until === before.out?.until) return;
    const { upstream, index, standing } = this;
    this.#changed({ upstream, credential: index, standing, error: next.out && this.lastError?.words });
  }
}

const tooFastStatus = 429;
