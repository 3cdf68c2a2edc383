import { assert } from 'chat-formats/assert.ts';
import { delay } from '../../../core/time/delay.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { CandidateSet } from '../candidates/candidate-set.ts';
import { best, type Candidate, isInUse, type LiveUpstream, subQueueFor } from '../candidates/candidates.ts';
import type { Dispatch } from './dispatch.ts';
import { type UpstreamWait, enterAny } from './enter-any.ts';
import type { Demand } from '../fair-queue/demand.ts';
import { asOrdinary } from '../fair-queue/idle-terms.ts';
import type { Slot, WaitOptions } from '../queue/slot.ts';
import type { RoutedRequest } from '../routed-request.ts';
import type { RouterParts } from '../router-parts.ts';
import { pauseMsOf, type ErrorClass, errorClassOf } from '../error-class.ts';

/** The most tries that use the retry budget; the first failover to a healthy credential is free. */
const retriesMax = 2;
/** The pause before another try at the same credential is random, from 0 to this, doubled each time. */
const jitterMs = 250;
/** The pause after a local resource shortage, doubled each time. */
const localPauseMs = 100;
/** A request that this machine cannot send fails this long after its first try: a status can still be sent. */
const localTimeoutMs = 3000;

/** The failover loop of one request: which candidate comes next, and when to give up. */
export class FailoverLoop {
  readonly #parts: RouterParts;
  #demand: Demand;
  readonly #candidates: CandidateSet;
  #request: RoutedRequest | undefined;
  /** Set once an answer broke off: the queue timeout starts again. */
  #renewedWait: WaitOptions | undefined;
  #sinceMs: number;
  /** How long the request has paused since `#sinceMs`. */
  #pauseMs = 0;
  #retries = 0;
  /** How often this machine lacked a resource for this request, and since when it tried. */
  #shortageCount = 0;
  #shortSinceMs: number | undefined;
  #dispatchedMs = 0;
  #hasFailedOver = false;
  #endRetry: () => void = () => {};

  constructor(parts: RouterParts, model: Model, demand: Demand, conversation: () => string | undefined) {
    this.#parts = parts;
    this.#demand = demand;
    this.#candidates = new CandidateSet(model, parts, conversation);
    if (this.#candidates.isEmpty)
      throw new GatewayError('upstream-failed', { cause: new Error(`${model.id} has no usable route`) });
    this.#sinceMs = parts.clock.elapsed();
  }

  /** Sets the request. Call it before anything that may have to wait. */
  follow(request: RoutedRequest): void {
    this.#request = request;
  }

  /** Takes a slot at the best upstream, if that needs no wait. */
  enterNow(): Dispatch | undefined {
    return this.#enterAtOnce(this.#candidates.best);
  }

  /** Takes a slot at the best upstream, waiting if necessary. */
  async enter(): Promise<Dispatch> {
    for (;;) {
      const dispatch = this.enterNow() ?? (await this.#enterQueue());
      const { pay } = this.#routed;
      if (dispatch && pay) await this.#admit(dispatch, pay);
      if (dispatch) return dispatch;
      this.#candidates.renew();
    }
  }

  /** The next dispatch after a failure, with the slot of the failed call. Throws the failure of the last try. */
  async failOver({ candidate, slot }: Dispatch, error: unknown): Promise<Dispatch> {
    const errorClass = this.#classify(error);
    if (errorClass === 'busy') return this.#requeue(candidate, slot, pauseMsOf(error));
    if (errorClass === 'local') return this.#backOff(candidate, slot, error);
    try {
      await this.#prepareRetry(candidate, errorClass, error);
    } catch (end) {
      // Charge the estimate: an account whose requests all fail must not be admitted before all others.
      slot.release();
      throw end;
    }
    const next = this.#candidates.take(at(candidate.upstream, this.#candidates.best));
    if (next) return this.#dispatch(next, slot);
    slot.release(0);
    return this.enter();
  }

  /** The next dispatch after an answer broke off; its slot has been released. */
  async restart(candidate: Candidate, error: unknown): Promise<Dispatch> {
    const { clock, waitMaxMs } = this.#parts;
    const deadlineMs = this.#demand.idle?.deadlineMs ?? clock.elapsed() + waitMaxMs();
    this.#renewedWait = { signal: this.#routed.signal, deadlineMs };
    this.#demand = { ...this.#demand, idle: asOrdinary(this.#demand.idle) };
    const errorClass = this.#classify(error);
    if (errorClass === 'busy') this.#candidates.avoid(candidate, pauseMsOf(error));
    await this.#prepareRetry(candidate, errorClass, error);
    return this.enter();
  }

  /** The last try is over: returns what it took from the retry budget. */
  releaseRetry(): void {
    this.#endRetry();
  }

  get #routed(): RoutedRequest {
    assert(this.#request !== undefined, 'the request is set before it has to wait');
    return this.#request;
  }

  get #wait(): WaitOptions {
    return this.#renewedWait ?? this.#routed;
  }

  #classify(error: unknown): ErrorClass {
    this.releaseRetry();
    this.#sinceMs = this.#parts.clock.elapsed();
    this.#pauseMs = 0;
    this.#candidates.renew();
    return this.#routed.signal.aborted ? 'final' : errorClassOf(error);
  }

  #dispatch(candidate: Candidate, slot: Slot): Dispatch {
    this.#dispatchedMs = this.#parts.clock.elapsed();
    return { candidate, slot, sinceMs: this.#sinceMs, pauseMs: this.#pauseMs };
  }

  #enterAtOnce(candidates: readonly Candidate[]): Dispatch | undefined {
    for (let rest = candidates.filter(this.#candidates.mayCall); rest.length > 0; ) {
      const foremost = best(rest);
      const there = this.#candidates.upstreamOf(foremost);
      const slot = there?.queue.tryEnter(this.#demand);
      // `tryEnter` may have admitted other requests, which took the open candidates.
      const candidate = slot && this.#candidates.take(at(there, foremost));
      if (candidate && slot) return this.#dispatch(candidate, slot);
      slot?.release(0);
      rest = rest.filter(({ upstream }) => upstream !== there);
    }
    return undefined;
  }

  /** Waits for a slot; `undefined` if there is meanwhile something better to wait for. */
  #enterQueue(): Promise<Dispatch | undefined> {
    const candidates = this.#candidates.worthWaitingFor;
    const entries = upstreamsOf(candidates).map((upstream) => this.#entryAt(upstream, candidates));
    const position = Math.min(...candidates.map(({ upstream }) => upstream.queue.waiting));
    return this.#waitAndAdmit(position, () => enterAny(entries, this.#wait));
  }

  /** A wait in the queue of an upstream that has not refused the request, or after the cooldown for that refusal. */
  #entryAt(there: LiveUpstream, candidates: readonly Candidate[]): UpstreamWait {
    const { cooldownMs } = this.#candidates;
    const here = at(there, candidates);
    const leastMs = Math.min(...here.map(cooldownMs));
    const soonest = here.filter((candidate) => cooldownMs(candidate) <= leastMs);
    const isOutdated = (): boolean =>
      this.#candidates.worthWaitingFor.some(({ upstream }) => at(upstream, candidates).length === 0);
    return async (wait) => {
      const { clock } = this.#parts;
      if (leastMs > 0) await delay(clock, Math.min(leastMs, wait.deadlineMs - clock.elapsed()), wait.signal);
      return this.#granted(soonest, (how) => there.queue.enter(this.#demand, { ...wait, ...how, isOutdated }));
    };
  }

  /** Waits for a slot, and takes a candidate that may be called when the slot is granted. */
  async #granted(
    candidates: readonly Candidate[],
    enter: (how: Pick<WaitOptions, 'subQueue' | 'granted'>) => Promise<Slot | undefined>,
  ): Promise<Dispatch | undefined> {
    let candidate: Candidate | undefined;
    let wasOut: unknown;
    const granted = (): void => {
      candidate = this.#candidates.takeUsable(candidates);
      wasOut = candidate?.credential.health.out;
    };
    const subQueue = subQueueFor(candidates, () => this.#candidates.currentVersions(candidates));
    const slot = await enter({ subQueue, granted });
    // The credential may have gone out of use between the grant and now.
    const isLost = candidate && candidate.credential.health.out !== wasOut && this.#candidates.isOutOfUse(candidate);
    if (slot && candidate && !isLost) return this.#dispatch(candidate, slot);
    candidate?.credential.noEvidence(candidate.route.model);
    slot?.release(0);
    return undefined;
  }

  /** Uses another provider that has capacity now, or else returns to the head of the queue after a cooldown. */
  async #requeue(candidate: Candidate, slot: Slot, cooldownMs: number): Promise<Dispatch> {
    this.#candidates.avoid(candidate, cooldownMs);
    const { upstream: there } = candidate;
    const { ready } = this.#candidates;
    const here = this.#candidates.take(at(there, ready));
    if (here) return this.#dispatch(here, slot);
    const elsewhere = this.#enterAtOnce(ready);
    if (elsewhere) {
      slot.release(0);
      return elsewhere;
    }
    const candidates = this.#candidates.worthWaitingFor;
    const available = candidates.filter(
      (each) => each.upstream.queue !== there.queue || this.#candidates.cooldownMs(each) === 0,
    );
    const entries = upstreamsOf(available).map((upstream) => this.#entryAt(upstream, candidates));
    return this.#return([this.#returnTo(candidate, slot), ...entries], slot);
  }

  /** This machine lacks a resource: try no other candidate, but the same one after a pause. */
  async #backOff(candidate: Candidate, slot: Slot, error: unknown): Promise<Dispatch> {
    const nowMs = this.#parts.clock.elapsed();
    this.#shortSinceMs ??= this.#dispatchedMs;
    const pauseMs = this.#localPauseMs();
    if (nowMs + pauseMs - this.#shortSinceMs >= localTimeoutMs) {
      slot.release(0);
      throw error;
    }
    this.#candidates.avoid(candidate, pauseMs);
    return this.#return([this.#returnTo(candidate, slot)], slot);
  }

  async #return(entries: readonly UpstreamWait[], slot: Slot): Promise<Dispatch> {
    try {
      return (await this.#waitAndAdmit(slot.position, () => enterAny(entries, this.#wait))) ?? (await this.enter());
    } finally {
      // If the wait was rejected immediately, the slot has not been released yet.
      if (!slot.isReleased) slot.release(0);
    }
  }

  /** A wait at the head of the same queue, after the cooldown. */
  #returnTo(refusing: Candidate, slot: Slot): UpstreamWait {
    const { left, cooldownMs } = this.#candidates;
    const leastMs = cooldownMs(refusing);
    const available = at(refusing.upstream, left).filter((each) => cooldownMs(each) <= leastMs);
    return (wait) => this.#granted(available, (how) => slot.requeue({ ...wait, ...how, cooldownMs: leastMs }));
  }

  /** Doubles with every shortage, with jitter: the resource may be free again soon, or not. */
  #localPauseMs(): number {
    const longestMs = localPauseMs * 2 ** this.#shortageCount;
    this.#shortageCount += 1;
    return longestMs * (0.5 + this.#parts.random() / 2);
  }

  /** Marks the request as waiting: a process that stops ends waiting requests first. */
  async #waitAndAdmit(position: number, wait: () => Promise<Dispatch | undefined>): Promise<Dispatch | undefined> {
    const dispatch = await this.#trackWait(position, wait);
    if (dispatch) await this.#admit(dispatch, this.#routed.admit);
    return dispatch;
  }

  /** A request may have lost its permission during the wait, or lack money; then the next request gets the slot. */
  async #admit({ candidate, slot }: Dispatch, check: RoutedRequest['admit']): Promise<void> {
    try {
      await check?.();
    } catch (error) {
      candidate.credential.noEvidence(candidate.route.model);
      slot.release(0);
      throw error;
    }
  }

  async #trackWait<Result>(position: number, wait: () => Promise<Result>): Promise<Result> {
    this.#routed.waits(true);
    try {
      this.#wait.signal.throwIfAborted();
      return await wait();
    } catch (error) {
      this.#routed.onQueueTimeout({ waitMs: this.#parts.clock.elapsed() - this.#sinceMs - this.#pauseMs, position });
      throw error;
    } finally {
      this.#routed.waits(false);
    }
  }

  async #prepareRetry(candidate: Candidate, errorClass: ErrorClass, error: unknown): Promise<void> {
    if (errorClass === 'final') throw error;
    this.#candidates.exclude(candidate, errorClass);
    const { left } = this.#candidates;
    if (left.length === 0) return this.#prepareRepeat(candidate, errorClass, error);
    if (!this.#hasFailedOver && left.some(({ credential }) => isInUse(credential))) this.#hasFailedOver = true;
    else this.#takeRetry(error);
  }

  /** Tries the same credential again, unless it is out of use or timed out. A busy one cools down first. */
  async #prepareRepeat(candidate: Candidate, errorClass: ErrorClass, error: unknown): Promise<void> {
    if ((errorClass !== 'failure' && errorClass !== 'busy') || !isInUse(candidate.credential)) throw error;
    this.#takeRetry(error);
    this.#candidates.allowRetry(candidate);
    await delay(this.#parts.clock, this.#parts.random() * jitterMs * 2 ** (this.#retries - 1), this.#wait.signal);
    this.#pauseMs = this.#parts.clock.elapsed() - this.#sinceMs;
  }

  #takeRetry(error: unknown): void {
    const giveBack = this.#retries < retriesMax ? this.#parts.budget.take() : undefined;
    if (!giveBack) throw error;
    this.#retries += 1;
    this.#endRetry = giveBack;
  }
}

function upstreamsOf(candidates: readonly Candidate[]): readonly LiveUpstream[] {
  return [...new Set(candidates.map(({ upstream }) => upstream))];
}

/** The candidates with the same slots, even if the upstream was replaced meanwhile. */
function at(there: LiveUpstream | undefined, candidates: readonly Candidate[]): readonly Candidate[] {
  return candidates.filter(({ upstream }) => upstream.queue === there?.queue);
}
