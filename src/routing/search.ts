import { delay } from '../core/delay.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Model } from '../core/model.ts';
import { select } from './selection.ts';
import { enterAny } from './enter-any.ts';
import type { Place, WaitOptions } from './upstream-queue.ts';
import { best, isIn, type LiveUpstream, type Candidate, candidatesOf, pausedMs, weighed, ready } from './candidates.ts';
import type { Dispatch } from './dispatch.ts';
import type { RoutedRequest } from './routed-request.ts';
import type { RouterParts } from './router-parts.ts';
import { pauseMsOf, type Trouble, troubleOf } from './trouble.ts';

/** Tries that need the budget's leave; the first failover to a healthy credential is free. */
const retriesMax = 2;
/** The pause before another try at the same credential is drawn from nothing up to this, doubled each time. */
const jitterMs = 250;

/** One request's search for an upstream that answers: where it may go next, and when it must give up. */
export class Search {
  readonly #parts: RouterParts;
  readonly #routed: RoutedRequest;
  readonly #conversation: () => string | undefined;
  readonly #candidates: readonly Candidate[];
  readonly #tried = new Set<Candidate>();
  #wait: WaitOptions;
  #sinceMs: number;
  #retries = 0;
  #hasFailedOver = false;
  #endRetry: () => void = () => {};

  constructor(parts: RouterParts, model: Model, routed: RoutedRequest, conversation: () => string | undefined) {
    this.#parts = parts;
    this.#routed = routed;
    this.#conversation = conversation;
    this.#candidates = candidatesOf(model, parts.upstream);
    if (this.#candidates.length === 0) throw failed(`${model.id} has no usable route`);
    this.#sinceMs = parts.clock.elapsed();
    this.#wait = routed;
  }

  /** Waits for a place at the best upstream there is. */
  async enter(): Promise<Dispatch> {
    for (;;) {
      const candidates = best(this.#left());
      const dispatch = this.#enterAtOnce(candidates) ?? (await this.#enterInTurn(candidates));
      if (dispatch) return this.#rested(dispatch);
    }
  }

  /** Where to go after a failure; throws it when that was the last try. The place it was made at is taken over. */
  async goOn({ candidate, place }: Dispatch, error: unknown): Promise<Dispatch> {
    const trouble = this.#troubleAfter(error);
    if (trouble === 'busy') return this.#makeWay(candidate, place, error);
    try {
      await this.#mayTryAgain(candidate, trouble, error);
    } catch (end) {
      // The estimate stands: whose requests all fail must not be let in before all others.
      place.leave();
      throw end;
    }
    const next = this.#select(best(this.#left()).filter(({ upstream }) => upstream === candidate.upstream));
    if (next) return this.#rested(this.#dispatch(next, place));
    place.leave(0);
    return this.enter();
  }

  /** Where to go when an answer broke off; its place has been given back. */
  async startOver(candidate: Candidate, error: unknown): Promise<Dispatch> {
    const { clock, waitMaxMs } = this.#parts;
    this.#wait = { signal: this.#routed.signal, deadlineMs: clock.elapsed() + waitMaxMs() };
    await this.#mayTryAgain(candidate, this.#troubleAfter(error), error);
    return this.enter();
  }

  /** The last try is over: what the budget lent for it goes back. */
  rest(): void {
    this.#endRetry();
  }

  #troubleAfter(error: unknown): Trouble {
    this.rest();
    this.#sinceMs = this.#parts.clock.elapsed();
    return this.#routed.signal.aborted ? 'final' : troubleOf(error);
  }

  #dispatch(candidate: Candidate, place: Place): Dispatch {
    return { candidate, place, sinceMs: this.#sinceMs };
  }

  #enterAtOnce(candidates: readonly Candidate[]): Dispatch | undefined {
    for (let rest = candidates; rest.length > 0; ) {
      const candidate = this.#select(best(rest));
      const place = candidate?.upstream.queue.tryEnter(this.#routed.demand);
      if (candidate && place) return this.#dispatch(candidate, place);
      rest = rest.filter(({ upstream }) => upstream !== candidate?.upstream);
    }
    return undefined;
  }

  /** Nothing if the upstream that had a place first has meanwhile become a bad choice. */
  async #enterInTurn(candidates: readonly Candidate[]): Promise<Dispatch | undefined> {
    const upstreams = [...new Set(candidates.map(({ upstream }) => upstream))];
    const position = Math.min(...upstreams.map(({ queue }) => queue.waiting));
    const { upstream, place } = await this.#inLine(position, () =>
      enterAny(upstreams, this.#routed.demand, this.#wait),
    );
    const candidate = this.#select(best(this.#left()).filter((each) => each.upstream === upstream));
    if (candidate) return this.#dispatch(candidate, place);
    place.leave(0);
    return undefined;
  }

  /** Keeps the place until the provider may be asked again: whoever comes later waits behind, in order. */
  async #rested(dispatch: Dispatch): Promise<Dispatch> {
    let { candidate } = dispatch;
    try {
      while (pausedMs(candidate) > 0) {
        await this.#inLine(dispatch.place.position, () => this.#pauseAt(candidate));
        candidate = this.#select(this.#at(candidate.upstream)) ?? candidate;
      }
    } catch (error) {
      dispatch.place.leave(0);
      throw error;
    }
    return { ...dispatch, candidate };
  }

  async #pauseAt(candidate: Candidate): Promise<void> {
    const leftMs = this.#wait.deadlineMs - this.#parts.clock.elapsed();
    if (leftMs <= 0) throw new GatewayError('overloaded');
    await delay(this.#parts.clock, Math.min(Math.ceil(pausedMs(candidate)), leftMs), this.#wait.signal);
  }

  /** The provider has no room: another one that has some now, or else the head of the same queue. */
  async #makeWay(candidate: Candidate, place: Place, error: unknown): Promise<Dispatch> {
    const others = ready(this.#left());
    const here = this.#select(others.filter((other) => other !== candidate && other.upstream === candidate.upstream));
    if (here) return this.#dispatch(here, place);
    const elsewhere = this.#enterAtOnce(others.filter(({ upstream }) => upstream !== candidate.upstream));
    if (elsewhere) {
      place.leave(0);
      return elsewhere;
    }
    const { signal, deadlineMs } = this.#wait;
    const wait = { signal, deadlineMs, pauseMs: pauseMsOf(error) };
    const next = await this.#inLine(place.position, () => place.again(wait));
    return this.#rested(this.#dispatch(this.#select(this.#at(candidate.upstream)) ?? candidate, next));
  }

  /** Others may want to know that it waits: a process that is to end ends those first. */
  async #inLine<Result>(position: number, wait: () => Promise<Result>): Promise<Result> {
    this.#routed.waits(true);
    try {
      this.#wait.signal.throwIfAborted();
      return await wait();
    } catch (error) {
      this.#routed.gaveUp({ waitMs: this.#parts.clock.elapsed() - this.#sinceMs, position });
      throw error;
    } finally {
      this.#routed.waits(false);
    }
  }

  async #mayTryAgain(candidate: Candidate, trouble: Trouble, error: unknown): Promise<void> {
    if (trouble === 'final') throw error;
    this.#setAside(candidate, trouble);
    const left = this.#left();
    if (left.length === 0) return this.#mayRepeat(candidate, trouble, error);
    if (!this.#hasFailedOver && left.some(({ credential }) => isIn(credential))) this.#hasFailedOver = true;
    else this.#borrowRetry(error);
  }

  /** The same credential again, if it is not known to be down and did not take all the time there was. A busy one is rested first. */
  async #mayRepeat(candidate: Candidate, trouble: Trouble, error: unknown): Promise<void> {
    if ((trouble !== 'failure' && trouble !== 'busy') || !isIn(candidate.credential)) throw error;
    this.#borrowRetry(error);
    for (const each of this.#tried) if (each.route === candidate.route) this.#tried.delete(each);
    await delay(this.#parts.clock, this.#parts.random() * jitterMs * 2 ** (this.#retries - 1), this.#wait.signal);
  }

  #borrowRetry(error: unknown): void {
    const giveBack = this.#retries < retriesMax ? this.#parts.budget.take() : undefined;
    if (!giveBack) throw error;
    this.#retries += 1;
    this.#endRetry = giveBack;
  }

  /** A refused credential is refused on every route, and says nothing about the others; any other failure would meet them too. */
  #setAside({ route, credential }: Candidate, trouble: Trouble): void {
    for (const each of this.#candidates) {
      if (trouble === 'credential' ? each.credential === credential : each.route === route) this.#tried.add(each);
    }
  }

  #left(): readonly Candidate[] {
    return this.#tried.size === 0
      ? this.#candidates
      : this.#candidates.filter((candidate) => !this.#tried.has(candidate));
  }

  #at(there: LiveUpstream): readonly Candidate[] {
    return best(this.#left().filter(({ upstream }) => upstream === there));
  }

  #select(candidates: readonly Candidate[]): Candidate | undefined {
    if (candidates.length < 2) return candidates[0];
    return select(weighed(candidates), this.#parts.random, this.#conversation())?.candidate;
  }
}

function failed(why: string): GatewayError {
  return new GatewayError('upstream-failed', { cause: new Error(why) });
}
