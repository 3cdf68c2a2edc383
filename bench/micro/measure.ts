/** A hot function, and the minimum of work for the same result. */
export interface Micro {
  readonly name: string;
  /** The work of the floor. */
  readonly floorName: string;
  work(): unknown;
  floor(): unknown;
}

/** Many short rounds: on a busy machine few rounds are undisturbed, and a short one is more likely to be. */
const rounds = 90;
const roundMs = 4;

/** The cost of a function relative to its floor. Both run in alternating rounds, and the best round of each counts. */
export function timesItsFloor({ work, floor }: Micro): number {
  let [least, leastFloor] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < rounds; round += 1) {
    least = Math.min(least, perCall(work));
    leastFloor = Math.min(leastFloor, perCall(floor));
  }
  return least / leastFloor;
}

function perCall(work: () => unknown): number {
  const began = performance.now();
  let calls = 0;
  let spent = 0;
  do {
    for (let call = 0; call < 16; call += 1) results.kept = work();
    calls += 16;
    spent = performance.now() - began;
  } while (spent < roundMs);
  return spent / calls;
}

/** Results are kept, so that the compiler cannot remove the work. */
const results: { kept: unknown } = { kept: undefined };
