import { hash } from 'node:crypto';

export interface WeightedCandidate {
  /** The same in every process, so that all of them send a conversation to the same candidate. */
  readonly name: string;
  /** Share of the requests if all candidates are equally busy. */
  readonly weight: number;
  /** How busy its upstream is: 0 is idle, 1 is full, more means that requests wait. */
  readonly load: number;
  readonly hasRoom: boolean;
  /** Answers running on its credential. */
  readonly running: number;
  readonly latencyMs: number | undefined;
}

/**
 * Selects a candidate. A conversation goes to its usual candidate, unless that is overloaded. Any other request goes to
 * the better of two drawn by weight: always picking the best would send a herd of requests to it. Candidates with a
 * free slot come first.
 */
export function select<Each extends WeightedCandidate>(
  candidates: readonly Each[],
  random: () => number,
  conversation?: string,
): Each | undefined {
  if (candidates.length < 2) return candidates[0];
  const usual = conversation === undefined ? undefined : usualCandidate(candidates, conversation);
  if (usual?.hasRoom && usual.load <= Math.min(...candidates.map(({ load }) => load)) + overloadMargin) return usual;
  const roomy = candidates.filter(({ hasRoom }) => hasRoom);
  const open = roomy.length > 0 ? roomy : candidates;
  return better(draw(open, random), draw(open, random));
}

/** A conversation leaves its usual candidate if that is busier than another by this share of its size. */
const overloadMargin = 0.25;

/** Weighted rendezvous hashing: no state, the same in every process, and moves only what a removed candidate had. */
function usualCandidate<Each extends WeightedCandidate>(
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

/** Hashes a text to a number, evenly spread above 0 and below 1. */
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
  // The draw has weighed them already. Latency decides only between equals, or the faster one would get everything.
  if (first.weight !== second.weight) return first;
  return (first.latencyMs ?? 0) <= (second.latencyMs ?? 0) ? first : second;
}
