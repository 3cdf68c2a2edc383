import type { Clock } from '../core/clock.ts';
import type { Model } from '../core/model.ts';
import {
  best,
  type Candidate,
  candidatesOf,
  isOpen,
  type LiveUpstream,
  ready,
  usable,
  weighed,
  worthWaitingFor,
} from './candidates.ts';
import { select } from './selection.ts';
import type { ErrorClass } from './error-class.ts';

interface CandidateParts {
  readonly clock: Clock;
  readonly random: () => number;
  /** The upstreams in use, by their names. */
  readonly upstream: (name: string) => LiveUpstream | undefined;
}

/** The candidates of one request: which of them it may still turn to, which of those now, and which it takes. */
export class CandidateSet {
  #all: readonly Candidate[];
  readonly #upstream: (name: string) => LiveUpstream | undefined;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #conversation: () => string | undefined;
  /** Those that failed it. Neither this nor the next is there before it is needed: most requests turn to one candidate. */
  #tried: Set<Candidate> | undefined;
  /** Those that refused this request for want of room, and until when it leaves them alone. */
  #cooldownUntilMs: Map<Candidate, number> | undefined;

  constructor(model: Model, parts: CandidateParts, conversation: () => string | undefined) {
    this.#all = candidatesOf(model, parts.upstream);
    this.#upstream = parts.upstream;
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#conversation = conversation;
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /**
   * An upstream that was replaced since the request came is asked as it is now: its keys may be others, and the old ones
   * refused. One that was removed or switched off is not asked, unless there is no other way.
   */
  renew(): void {
    if (!this.#all.some(this.#isOld)) return;
    const kept = this.#all.filter((candidate) => !this.#isOld(candidate));
    const routes = new Set(this.#all.filter(this.#isOld).map(({ route }) => route));
    const now = [...kept, ...candidatesOf({ routes: [...routes] }, this.#upstream)];
    if (now.some((candidate) => this.#tried?.has(candidate) !== true)) this.#all = now;
  }

  /** The same ways to the same upstream, as they are now. */
  asTheyAre(candidates: readonly Candidate[]): readonly Candidate[] {
    if (!candidates.some(this.#isOld)) return candidates;
    this.renew();
    return this.#all.filter((each) => candidates.some((before) => isSameWay(each, before)));
  }

  readonly #isOld = ({ route, upstream }: Candidate): boolean => this.#upstream(route.upstream) !== upstream;

  /** Those that have not failed this request. */
  get left(): readonly Candidate[] {
    const tried = this.#tried;
    return tried ? this.#all.filter((candidate) => !tried.has(candidate)) : this.#all;
  }

  /** Those to turn to first, if they have a slot. */
  get best(): readonly Candidate[] {
    return best(this.left.filter((candidate) => this.cooldownMs(candidate) === 0));
  }

  /** Those that can be asked now, of whatever priority. */
  get ready(): readonly Candidate[] {
    return ready(this.left).filter(this.mayAsk);
  }

  get worthWaitingFor(): readonly Candidate[] {
    return worthWaitingFor(this.left, (candidate) => this.cooldownMs(candidate) > 0);
  }

  /** A refused credential is refused on every route, and says nothing about the others; any other failure would meet them too. */
  setAside({ route, credential }: Candidate, trouble: ErrorClass): void {
    this.#tried ??= new Set();
    for (const each of this.#all) {
      if (trouble === 'credential' ? each.credential === credential : each.route === route) this.#tried.add(each);
    }
  }

  /** Those of the same route may be tried once more. */
  takeUp({ route }: Candidate): void {
    for (const each of this.#tried ?? []) if (each.route === route) this.#tried?.delete(each);
  }

  /** This request leaves a candidate alone for so long. */
  rest(candidate: Candidate, cooldownMs: number): void {
    this.#cooldownUntilMs ??= new Map();
    this.#cooldownUntilMs.set(candidate, this.#clock.elapsed() + cooldownMs);
  }

  /** How much longer this request leaves a candidate alone. */
  readonly cooldownMs = (candidate: Candidate): number => {
    if (!this.#cooldownUntilMs) return 0;
    const cooldownMs = (this.#cooldownUntilMs.get(candidate) ?? 0) - this.#clock.elapsed();
    // A timer may be a little early.
    return cooldownMs < 1 ? 0 : cooldownMs;
  };

  readonly mayAsk = (candidate: Candidate): boolean => isOpen(candidate) && this.cooldownMs(candidate) === 0;

  /** Where the choice falls among these. */
  upstreamOf(candidates: readonly Candidate[]): LiveUpstream | undefined {
    return this.#select(candidates)?.upstream;
  }

  /** Chooses one of these that may be asked now and takes it, so that nobody else does; the slot is another matter. */
  take(candidates: readonly Candidate[]): Candidate | undefined {
    const candidate = this.#select(candidates.filter(this.mayAsk));
    candidate?.credential.take(candidate.route.model);
    return candidate;
  }

  /** The same, of those that are in use as well, at the end of a wait for these. */
  takeUsable(waitedFor: readonly Candidate[]): Candidate | undefined {
    const candidates = this.asTheyAre(waitedFor);
    return this.take(usable(this.left).filter((each) => candidates.includes(each)));
  }

  /** Whether a candidate is out and another one is not. */
  isOutdone(candidate: Candidate): boolean {
    return !usable(this.left).includes(candidate);
  }

  #select(candidates: readonly Candidate[]): Candidate | undefined {
    if (candidates.length < 2) return candidates[0];
    return select(weighed(candidates), this.#random, this.#conversation())?.candidate;
  }
}

/** Slots outlive a change of their upstream, so what was waited for is still a slot of the same queue. */
function isSameWay(one: Candidate, other: Candidate): boolean {
  return one === other || (one.route === other.route && one.upstream.queue === other.upstream.queue);
}
