import { hash } from 'node:crypto';

/** A way to serve a request, as the choice between several sees it. */
export interface WeightedCandidate {
  /** The same in every process, so that all of them send a conversation the same way. */
  readonly name: string;
  /** Share of the requests when all are equally busy. */
  readonly weight: number;
  /** How busy its upstream is: 0 is idle, 1 is full, more means that requests wait. */
  readonly load: number;
  readonly hasRoom: boolean;
  /** Answers running on its credential. */
  readonly running: number;
  readonly latencyMs: number | undefined;
}

/**
 * Chooses one: a conversation goes where it went before unless that is overloaded; anything else goes to the better
 * of two drawn by weight, which spreads load without the herd that always picking the best would make. Whoever has
 * room comes before those who have none.
 */
export function select<Each extends WeightedCandidate>(
  candidates: readonly Each[],
  random: () => number,
  conversation?: string,
): Each | undefined {
  if (candidates.length < 2) return candidates[0];
  const usual = conversation === undefined ? undefined : usualSlot(candidates, conversation);
  if (usual?.hasRoom && usual.load <= Math.min(...candidates.map(({ load }) => load)) + overloadMargin) return usual;
  const roomy = candidates.filter(({ hasRoom }) => hasRoom);
  const open = roomy.length > 0 ? roomy : candidates;
  return better(draw(open, random), draw(open, random));
}

/** A conversation leaves its usual slot when that is busier than another by this much of its size. */
const overloadMargin = 0.25;

/**
 * Weighted rendezvous hashing: needs no memory, gives the same answer in every process, and moves only the
 * conversations of a slot that goes away.
 */
function usualSlot<Each extends WeightedCandidate>(
  candidates: readonly Each[],
  conversation: string,
): Each | undefined {
  let best: Each | undefined;
  let bestScore = 0;
  for (const candidate of candidates) {
    const score = candidate.weight / -Math.log(fraction(`${conversation}\n${candidate.name}`));
    if (score > bestScore) [best, bestScore] = [candidate, score];
  }
  return best;
}

/** Evenly spread above 0 and below 1. */
function fraction(text: string): number {
  return (Number.parseInt(hash('sha1', text).slice(0, 12), 16) + 0.5) / 2 ** 48;
}

function draw<Each extends WeightedCandidate>(candidates: readonly Each[], random: () => number): Each | undefined {
  let left = random() * candidates.reduce((sum, { weight }) => sum + weight, 0);
  return candidates.find(({ weight }) => (left -= weight) < 0) ?? candidates.at(-1);
}

function better<Each extends WeightedCandidate>(first: Each | undefined, second: Each | undefined): Each | undefined {
  if (!first || !second) return first ?? second;
  if (first.load !== second.load) return first.load < second.load ? first : second;
  if (first.running !== second.running) return first.running < second.running ? first : second;
  // The draw has candidates them already; only between equals may speed decide, or the quicker one would take all.
  if (first.weight !== second.weight) return first;
  return (first.latencyMs ?? 0) <= (second.latencyMs ?? 0) ? first : second;
}
