import { treeTicks } from '../process-usage.ts';

const tickMs = 10;
/** Enough ticks that the resolution of the clock does not matter. */
const enoughTicks = 40;
const runsMax = 2000;

/** CPU time of one query, in this process and in its database. Other work of the machine does not count. */
export async function processorMs(query: () => Promise<unknown>): Promise<number> {
  await query();
  const before = treeTicks(process.pid);
  let [runs, ticks] = [0, 0];
  while (ticks < enoughTicks && runs < runsMax) {
    const group = Math.max(5, runs);
    for (let count = 0; count < group; count += 1) await query();
    runs += group;
    ticks = treeTicks(process.pid) - before;
  }
  return (ticks * tickMs) / runs;
}
