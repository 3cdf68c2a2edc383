/** A hot function and the least that anybody could do for the same result. */
export interface Micro {
  readonly name: string;
  /** What the floor does instead. */
  readonly floorName: string;
  work(): unknown;
  floor(): unknown;
}

/** Many short ones: on a busy machine few rounds are left alone, and a short one is more likely to be. */
const rounds = 90;
const roundMs = 4;

/** How many times its floor a function costs: each at its best of several rounds that take turns. */
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

/** Results are kept, so that no work can be found to be useless and left out. */
const results: { kept: unknown } = { kept: undefined };
