import type { Clock } from '../../../core/time/clock.ts';
import type { LearnedLimit } from '../queue/adaptive-limit.ts';
import { ModelLimiter } from '../slots/model-limiter.ts';
import { backForMs, type SharedCredentialState } from './shared-credential-state.ts';
import type { Health, HealthStatus } from './health.ts';
import * as health from './health.ts';
import type { LimitShare } from '../slots/limit-share.ts';
import { pauseMsOf, refusalStatusOf, errorClassOf, wordsOf } from '../error-class.ts';
import type { UpstreamQueue } from '../queue/upstream-queue.ts';

/** A change of a credential's health that operators should see. */
export interface HealthChange {
  readonly upstream: string;
  readonly credential: number;
  readonly state: HealthStatus;
  /** The cause; `undefined` if the health improved. */
  readonly error: string | undefined;
}

export interface CredentialParts {
  readonly clock: Clock;
  readonly changed: (change: HealthChange) => void;
  /** Broadcasts what was learned about the credential to the other processes, valid for `forMs`. */
  readonly broadcast?: ((state: SharedCredentialState, forMs: number) => void) | undefined;
  readonly share?: ((model: string, limit: () => number) => LimitShare) | undefined;
  /** The queue of its upstream, notified when more or fewer requests may be admitted. */
  readonly queue: Pick<UpstreamQueue, 'limit' | 'recheck' | 'subQueueCloses' | 'answered' | 'refused'>;
}

interface TestResult {
  readonly ok: boolean;
  /** The HTTP status of the provider, if it answered. */
  readonly status: number | undefined;
  readonly error: string | undefined;
}

const latencyNewShare = 0.2;
/** From this number of models on, those without state worth keeping are forgotten. */
const limitersMax = 256;

/** One credential of one upstream: its running calls, latency and health, and its limit for each model. */
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
  /** By the provider's model names. */
  readonly #limiters = new Map<string, ModelLimiter>();
  /** Whether it was replaced, perhaps by one with another key. */
  #isReplaced = false;

  constructor(name: { readonly upstream: string; readonly index: number }, parts: CredentialParts) {
    this.upstream = name.upstream;
    this.index = name.index;
    this.#clock = parts.clock;
    this.#parts = parts;
  }

  get healthStatus(): HealthStatus {
    return health.healthStatus(this.health, this.#clock.elapsed());
  }

  get share(): number {
    return health.share(this.health, this.#clock.elapsed());
  }

  /** How much longer a model cools down; without a model, the longest of all. 0 if there is no cooldown. */
  cooldownMs(model?: string): number {
    if (model !== undefined) return this.#limiters.get(model)?.cooldownMs ?? 0;
    return Math.max(0, ...[...this.#limiters.values()].map(({ cooldownMs }) => cooldownMs));
  }

  /** The highest limit of its models. */
  get limit(): number {
    if (this.#limiters.size === 0) return this.#parts.queue.limit;
    return Math.max(...[...this.#limiters.values()].map(({ limit }) => limit));
  }

  /** Whether the model may be called now, within the limit learned for this credential. */
  isOpen(model: string): boolean {
    return this.#limiters.get(model)?.isOpen ?? true;
  }

  /** How long until time alone opens a model. */
  closedMs(model: string): number {
    return this.#limiters.get(model)?.closedMs ?? 0;
  }

  /** Follow it with `begun`, `noEvidence` or `failed`; and `begun` with `completed` or `streamFailed`. */
  take(model: string): void {
    this.running += 1;
    this.#limiter(model).take();
    this.#setHealth(health.sent(this.health, this.#clock.elapsed()));
  }

  /** The first content has arrived, `afterMs` after the request was sent. */
  begun(model: string, afterMs: number): void {
    this.latencyMs =
      this.latencyMs === undefined ? afterMs : this.latencyMs + latencyNewShare * (afterMs - this.latencyMs);
    this.#limiter(model).accepted();
    this.#parts.queue.answered('begun');
    this.#setHealth(health.begun(this.health, this.#clock.elapsed()));
    this.#parts.queue.recheck();
  }

  completed(model: string): void {
    this.#setHealth(health.completed(this.health));
    this.#end(model);
  }

  /** An answer broke off after it had begun. */
  streamFailed(error: unknown, model: string): void {
    const errorClass = errorClassOf(error);
    if (errorClass !== 'final' && errorClass !== 'local') this.#fault(error);
    this.#end(model);
  }

  /** The request ended for a reason on our side, such as a client that left. */
  noEvidence(model: string): void {
    this.#setHealth(health.noEvidence(this.health));
    this.#giveUp(model);
  }

  failed(error: unknown, model: string): void {
    const errorClass = errorClassOf(error);
    if (errorClass === 'local') return this.noEvidence(model);
    if (errorClass === 'busy') return this.#refused(error, model);
    if (errorClass !== 'final') this.#fault(error);
    // A provider that refuses the request itself is healthy.
    else if (refusalStatusOf(error) !== undefined)
      this.#setHealth(health.completed(health.begun(this.health, this.#clock.elapsed())));
    else this.#setHealth(health.noEvidence(this.health));
    this.#giveUp(model);
  }

  #fault(error: unknown): void {
    const now = this.#clock.elapsed();
    this.lastError = { words: wordsOf(error), at: this.#clock.now() };
    // A request to slow down is not a fault; being unable to serve is.
    if (refusalStatusOf(error) === tooFastStatus) this.#setHealth(health.noEvidence(this.health));
    else if (errorClassOf(error) === 'credential') this.#setHealth(health.refused(this.health, now));
    else this.#setHealth(health.failed(this.health, now));
  }

  #refused(error: unknown, model: string): void {
    const { queue } = this.#parts;
    this.#fault(error);
    queue.refused(model);
    this.running -= 1;
    if (!this.#limiter(model).refused(pauseMsOf(error))) return queue.recheck();
    this.#broadcast({ kind: 'pause', model }, Math.ceil(this.cooldownMs(model)));
    queue.subQueueCloses();
  }

  /** A test call outside any request has ended. A success brings a credential that was out back into use. */
  tested({ ok, status, error }: TestResult): void {
    const now = this.#clock.elapsed();
    if (!ok) this.lastError = { words: error ?? 'the test failed', at: this.#clock.now() };
    if (ok) this.#setHealth(health.begun(this.health, now));
    // Other failures may concern the test only: some keys may not list models.
    else if (status === unauthorizedStatus) this.#setHealth(health.refused(this.health, now));
    this.#parts.queue.recheck();
  }

  /** Applies what another process has learned as if it had been learned here, without broadcasting it. */
  applySharedState(state: SharedCredentialState, forMs: number): void {
    const now = this.#clock.elapsed();
    if (state.kind === 'pause') {
      this.#limiter(state.model).coolDownFor(forMs);
      return this.#parts.queue.subQueueCloses();
    }
    if (state.kind === 'back') {
      if (this.health.out) this.#replace({ ...health.goodHealth, returnedAt: now });
      return this.#parts.queue.recheck();
    }
    if (this.health.out) return;
    if (state.words !== undefined) this.lastError = { words: state.words, at: this.#clock.now() };
    this.#replace({ ...this.health, out: { until: now + forMs, why: state.why }, isProbed: false });
    this.#parts.queue.subQueueCloses();
  }

  applyLimit(model: string, learned: LearnedLimit): void {
    this.#limiter(model).adopt(learned);
    this.#parts.queue.recheck();
  }

  /** In use only by requests that still run or wait. Their results do not apply to its replacement. */
  leave(): void {
    this.#isReplaced = true;
    for (const limiter of this.#limiters.values()) limiter.leave();
  }

  #end(model: string): void {
    this.running -= 1;
    this.#limiter(model).ended();
    this.#parts.queue.answered('ended');
    this.#parts.queue.recheck();
  }

  #giveUp(model: string): void {
    this.running -= 1;
    this.#limiter(model).givenUp();
    this.#parts.queue.recheck();
  }

  #limiter(model: string): ModelLimiter {
    const known = this.#limiters.get(model);
    if (known) return known;
    if (this.#limiters.size >= limitersMax) this.#forget();
    const share = this.#isReplaced ? undefined : this.#parts.share;
    const modelShare = share && ((limit: () => number) => share(model, limit));
    const limiter = new ModelLimiter(() => this.#parts.queue.limit, this.#clock.elapsed, modelShare);
    this.#limiters.set(model, limiter);
    return limiter;
  }

  /** Models come and go with the configuration. Forgets those that are neither in use nor limited. */
  #forget(): void {
    for (const [model, limiter] of this.#limiters) if (limiter.isForgettable) this.#limiters.delete(model);
  }

  #broadcast(state: SharedCredentialState, forMs: number): void {
    if (!this.#isReplaced) this.#parts.broadcast?.(state, forMs);
  }

  #setHealth(next: Health): void {
    const before = this.health;
    if (!this.#replace(next)) return;
    const { out } = next;
    if (out) {
      const forMs = Math.ceil(out.until - this.#clock.elapsed());
      this.#broadcast({ kind: 'out', why: out.why, words: this.lastError?.words }, forMs);
    } else if (before.out) this.#broadcast({ kind: 'back' }, backForMs);
  }

  /** Returns whether operators should see the change. */
  #replace(next: Health): boolean {
    const before = this.health;
    if (next === before) return false;
    this.health = next;
    if (next.out?.until === before.out?.until) return false;
    const { upstream, index, healthStatus } = this;
    this.#parts.changed({ upstream, credential: index, state: healthStatus, error: next.out && this.lastError?.words });
    return true;
  }
}

const tooFastStatus = 429;
const unauthorizedStatus = 401;
