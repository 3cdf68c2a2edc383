import type { Clock } from '../core/clock.ts';
import type { LearnedLimit } from './adaptive-limit.ts';
import { Allowance } from './allowance.ts';
import type { SharedCredentialState } from './shared-credential-state.ts';
import { backForMs } from './shared-credential-state.ts';
import type { Health, HealthStatus } from './health.ts';
import * as health from './health.ts';
import type { LimitShare } from './limit-share.ts';
import { pauseMsOf, refusalStatusOf, errorClassOf, wordsOf } from './error-class.ts';
import type { UpstreamQueue } from './upstream-queue.ts';

/** A change of a credential's standing that people should hear of. */
export interface HealthChange {
  readonly upstream: string;
  readonly credential: number;
  readonly standing: HealthStatus;
  /** What brought it about; `undefined` when it is for the better. */
  readonly error: string | undefined;
}

export interface CredentialParts {
  readonly clock: Clock;
  readonly changed: (change: HealthChange) => void;
  /** Tells those who use the same credential what was learned of it, and for how long it is so. */
  readonly tell?: ((news: SharedCredentialState, forMs: number) => void) | undefined;
  /** What other processes have to do with what it may have of a model. */
  readonly share?: ((model: string, limit: () => number) => LimitShare) | undefined;
  /** The queue of its upstream, which hears when more or fewer may be let in. */
  readonly queue: Pick<UpstreamQueue, 'limit' | 'lookAgain' | 'subQueueCloses' | 'answered' | 'refused'>;
}

const latencyNewShare = 0.2;
/** So many models are remembered before those are forgotten of which there is nothing to remember. */
const allowancesMax = 256;

/** One credential of one upstream: what runs on it, how quick it is and how well, and what it may do with each model. */
export class Credential {
  readonly upstream: string;
  readonly index: number;
  readonly #clock: Clock;
  readonly #parts: CredentialParts;
  running = 0;
  /** Moving average of the time to the first content; `undefined` before the first. */
  latencyMs: number | undefined;
  lastError: { readonly words: string; readonly at: number } | undefined;
  health: Health = health.goodHealth;
  /** By the provider's names for its models. */
  readonly #allowances = new Map<string, Allowance>();
  /** Whether another is instead of it, perhaps with another key. */
  #hasLeft = false;

  constructor(name: { readonly upstream: string; readonly index: number }, parts: CredentialParts) {
    this.upstream = name.upstream;
    this.index = name.index;
    this.#clock = parts.clock;
    this.#parts = parts;
  }

  get standing(): HealthStatus {
    return health.standing(this.health, this.#clock.elapsed());
  }

  get share(): number {
    return health.share(this.health, this.#clock.elapsed());
  }

  /** How much longer the provider wants to be left alone with a model, or with any; 0 when it does not. */
  cooldownMs(model?: string): number {
    if (model !== undefined) return this.#allowances.get(model)?.cooldownMs ?? 0;
    return Math.max(0, ...[...this.#allowances.values()].map(({ cooldownMs }) => cooldownMs));
  }

  /** How many answers may run at once of the model that may have most. */
  get limit(): number {
    if (this.#allowances.size === 0) return this.#parts.queue.limit;
    return Math.max(...[...this.#allowances.values()].map(({ limit }) => limit));
  }

  /** Whether the model may be asked now, as far as it was found out how much of it this credential may have. */
  isOpen(model: string): boolean {
    return this.#allowances.get(model)?.isOpen ?? true;
  }

  /** How long time alone keeps a model closed. */
  closedMs(model: string): number {
    return this.#allowances.get(model)?.closedMs ?? 0;
  }

  /** A request is about to be sent: it begins, or it is untold, or it fails; and what has begun completes or breaks off. */
  take(model: string): void {
    this.running += 1;
    this.#allowance(model).take();
    this.#become(health.sent(this.health, this.#clock.elapsed()));
  }

  /** The first content is here, that long after the request was sent. */
  begun(model: string, afterMs: number): void {
    this.latencyMs =
      this.latencyMs === undefined ? afterMs : this.latencyMs + latencyNewShare * (afterMs - this.latencyMs);
    this.#allowance(model).accepted();
    this.#parts.queue.answered('begun');
    this.#become(health.begun(this.health, this.#clock.elapsed()));
    this.#parts.queue.lookAgain();
  }

  completed(model: string): void {
    this.#become(health.completed(this.health));
    this.#end(model);
  }

  /** An answer that had begun broke off. */
  brokeOff(error: unknown, model: string): void {
    const trouble = errorClassOf(error);
    if (trouble !== 'final' && trouble !== 'local') this.#fault(error);
    this.#end(model);
  }

  /** The request ended for a reason of ours, such as a client that left. */
  untold(model: string): void {
    this.#become(health.untold(this.health));
    this.#giveUp(model);
  }

  failed(error: unknown, model: string): void {
    const trouble = errorClassOf(error);
    if (trouble === 'local') return this.untold(model);
    if (trouble === 'busy') return this.#refused(error, model);
    if (trouble !== 'final') this.#fault(error);
    // A provider that refuses the request itself is well.
    else if (refusalStatusOf(error) !== undefined)
      this.#become(health.completed(health.begun(this.health, this.#clock.elapsed())));
    else this.#become(health.untold(this.health));
    this.#giveUp(model);
  }

  #fault(error: unknown): void {
    const now = this.#clock.elapsed();
    this.lastError = { words: wordsOf(error), at: this.#clock.now() };
    // Being asked to slow down is no defect; being unable to serve is.
    if (refusalStatusOf(error) === tooFastStatus) this.#become(health.untold(this.health));
    else if (errorClassOf(error) === 'credential') this.#become(health.refused(this.health, now));
    else this.#become(health.failed(this.health, now));
  }

  #refused(error: unknown, model: string): void {
    const { queue } = this.#parts;
    this.#fault(error);
    queue.refused(model);
    this.running -= 1;
    if (!this.#allowance(model).refused(pauseMsOf(error))) return queue.lookAgain();
    this.#tell({ kind: 'pause', model }, Math.ceil(this.cooldownMs(model)));
    queue.subQueueCloses();
  }

  /** Somebody tried it apart from any request, and was answered: whoever was out is back. */
  proven(): void {
    this.#become(health.begun(this.health, this.#clock.elapsed()));
    this.#parts.queue.lookAgain();
  }

  /** What another process has learned counts as if it had been learned here, but for being told to others. */
  hear(news: SharedCredentialState, forMs: number): void {
    const now = this.#clock.elapsed();
    if (news.kind === 'pause') {
      this.#allowance(news.model).coolDownFor(forMs);
      return this.#parts.queue.subQueueCloses();
    }
    if (news.kind === 'back') {
      if (this.health.out) this.#replace({ ...health.goodHealth, returnedAt: now });
      return this.#parts.queue.lookAgain();
    }
    if (this.health.out) return;
    if (news.words !== undefined) this.lastError = { words: news.words, at: this.#clock.now() };
    this.#replace({ ...this.health, out: { until: now + forMs, why: news.why }, isProbed: false });
    this.#parts.queue.subQueueCloses();
  }

  /** Another process has found out how many calls of a model may run at once. */
  hearLimit(model: string, learned: LearnedLimit): void {
    this.#allowance(model).adopt(learned);
    this.#parts.queue.lookAgain();
  }

  /** It is not used any more, but for what still runs and waits: what is learned of it from now on is about no other. */
  leave(): void {
    this.#hasLeft = true;
    for (const allowance of this.#allowances.values()) allowance.leave();
  }

  #end(model: string): void {
    this.running -= 1;
    this.#allowance(model).ended();
    this.#parts.queue.answered('ended');
    this.#parts.queue.lookAgain();
  }

  #giveUp(model: string): void {
    this.running -= 1;
    this.#allowance(model).givenUp();
    this.#parts.queue.lookAgain();
  }

  #allowance(model: string): Allowance {
    const known = this.#allowances.get(model);
    if (known) return known;
    if (this.#allowances.size >= allowancesMax) this.#forget();
    const share = this.#hasLeft ? undefined : this.#parts.share;
    const sharing = share && ((limit: () => number) => share(model, limit));
    const allowance = new Allowance(() => this.#parts.queue.limit, this.#clock.elapsed, sharing);
    this.#allowances.set(model, allowance);
    return allowance;
  }

  /** Models come and go with the configuration; of those that are not in use and not limited there is nothing to know. */
  #forget(): void {
    for (const [model, allowance] of this.#allowances) if (allowance.isPlain) this.#allowances.delete(model);
  }

  #tell(news: SharedCredentialState, forMs: number): void {
    if (!this.#hasLeft) this.#parts.tell?.(news, forMs);
  }

  #become(next: Health): void {
    const before = this.health;
    if (!this.#replace(next)) return;
    const { out } = next;
    if (out) {
      const forMs = Math.ceil(out.until - this.#clock.elapsed());
      this.#tell({ kind: 'out', why: out.why, words: this.lastError?.words }, forMs);
    } else if (before.out) this.#tell({ kind: 'back' }, backForMs);
  }

  /** Says whether people should hear of it. */
  #replace(next: Health): boolean {
    const before = this.health;
    if (next === before) return false;
    this.health = next;
    if (next.out?.until === before.out?.until) return false;
    const { upstream, index, standing } = this;
    this.#parts.changed({ upstream, credential: index, standing, error: next.out && this.lastError?.words });
    return true;
  }
}

const tooFastStatus = 429;
