import type { Model } from 'chat-formats/chat/model.ts';
import {
  best,
  type Candidate,
  candidatesOf,
  isOpen,
  type LiveUpstream,
  ready,
  usable,
  withWeights,
  worthWaitingFor,
} from './candidates.ts';
import { select } from './selection.ts';
import type { ErrorClass } from '../error-class.ts';
import type { RouterParts } from '../router-parts.ts';

type CandidateParts = Pick<RouterParts, 'clock' | 'random' | 'upstream'>;

/** The candidates of one request: which it may still use, which of those now, and which it takes. */
export class CandidateSet {
  #all: readonly Candidate[];
  readonly #parts: CandidateParts;
  readonly #conversation: () => string | undefined;
  /** Candidates that failed for this request. Created when needed, like the next field: most use one. */
  #tried: Set<Candidate> | undefined;
  /** Candidates that refused this request for lack of capacity, and until when it avoids them. */
  #cooldownUntilMs: Map<Candidate, number> | undefined;

  constructor(model: Model, parts: CandidateParts, conversation: () => string | undefined) {
    this.#all = candidatesOf(model, parts.upstream);
    this.#parts = parts;
    this.#conversation = conversation;
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /**
   * If an upstream was replaced since the request arrived, uses the new one: its keys may be others, and the old ones
   * refused. An upstream that was removed or switched off is used only if there is no other candidate.
   */
  renew(): void {
    if (!this.#all.some(this.#isOld)) return;
    const kept = this.#all.filter((candidate) => !this.#isOld(candidate));
    const routes = new Set(this.#all.filter(this.#isOld).map(({ route }) => route));
    const now = [...kept, ...candidatesOf({ routes: [...routes] }, this.#parts.upstream)];
    if (now.some((candidate) => this.#tried?.has(candidate) !== true)) this.#all = now;
  }

  currentVersions(candidates: readonly Candidate[]): readonly Candidate[] {
    if (!candidates.some(this.#isOld)) return candidates;
    this.renew();
    return this.#all.filter((each) => candidates.some((before) => isSameCandidate(each, before)));
  }

  readonly #isOld = ({ route, upstream }: Candidate): boolean => this.#parts.upstream(route.upstream) !== upstream;

  /** Candidates that have not failed for this request. */
  get left(): readonly Candidate[] {
    const tried = this.#tried;
    return tried ? this.#all.filter((candidate) => !tried.has(candidate)) : this.#all;
  }

  /** The candidates to try first, if they have a slot. */
  get best(): readonly Candidate[] {
    return best(this.left.filter((candidate) => this.cooldownMs(candidate) === 0));
  }

  /** Candidates that can be called now, of any priority. */
  get ready(): readonly Candidate[] {
    return ready(this.left).filter(this.mayCall);
  }

  get worthWaitingFor(): readonly Candidate[] {
    return worthWaitingFor(this.left, (candidate) => this.cooldownMs(candidate) > 0);
  }

  /**
   * Excludes candidates after a failure. A refused credential is excluded on every route, and the other credentials are
   * not. After any other failure, all credentials of the route are excluded: they would fail too.
   */
  exclude({ route, credential }: Candidate, errorClass: ErrorClass): void {
    this.#tried ??= new Set();
    for (const each of this.#all) {
      if (errorClass === 'credential' ? each.credential === credential : each.route === route) this.#tried.add(each);
    }
  }

  allowRetry({ route }: Candidate): void {
    for (const each of this.#tried ?? []) if (each.route === route) this.#tried?.delete(each);
  }

  avoid(candidate: Candidate, cooldownMs: number): void {
    this.#cooldownUntilMs ??= new Map();
    this.#cooldownUntilMs.set(candidate, this.#parts.clock.elapsed() + cooldownMs);
  }

  /** How much longer this request avoids a candidate. */
  readonly cooldownMs = (candidate: Candidate): number => {
    if (!this.#cooldownUntilMs) return 0;
    const cooldownMs = (this.#cooldownUntilMs.get(candidate) ?? 0) - this.#parts.clock.elapsed();
    // A timer may fire a little early.
    return cooldownMs < 1 ? 0 : cooldownMs;
  };

  readonly mayCall = (candidate: Candidate): boolean => isOpen(candidate) && this.cooldownMs(candidate) === 0;

  upstreamOf(candidates: readonly Candidate[]): LiveUpstream | undefined {
    return this.#select(candidates)?.upstream;
  }

  /** Selects a candidate that may be called now and takes it, so that no other request does. Takes no slot. */
  take(candidates: readonly Candidate[]): Candidate | undefined {
    const candidate = this.#select(candidates.filter(this.mayCall));
    candidate?.credential.take(candidate.route.model);
    return candidate;
  }

  /** The same at the end of a wait for these candidates, among those that are still usable. */
  takeUsable(waitedFor: readonly Candidate[]): Candidate | undefined {
    const candidates = this.currentVersions(waitedFor);
    return this.take(usable(this.left).filter((each) => candidates.includes(each)));
  }

  /** Whether the candidate is out of use and another one is not. */
  isOutOfUse(candidate: Candidate): boolean {
    return !usable(this.left).includes(candidate);
  }

  #select(candidates: readonly Candidate[]): Candidate | undefined {
    if (candidates.length < 2) return candidates[0];
    return select(withWeights(candidates), this.#parts.random, this.#conversation())?.candidate;
  }
}

/** A queue outlives a change of its upstream, so the request still waits for a slot of the same queue. */
function isSameCandidate(one: Candidate, other: Candidate): boolean {
  return one === other || (one.route === other.route && one.upstream.queue === other.upstream.queue);
}
