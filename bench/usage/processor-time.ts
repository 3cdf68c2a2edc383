import { treeTicks } from '../process-usage.ts';

const tickMs = 10;
/** Enough ticks that the resolution of the clock does not matter. */
const enoughTicks = 40;
const asksMax = 2000;

/** CPU time of one query, in this process and in its database. Other work of the machine does not count. */
export async function processorMs(ask: () => Promise<unknown>): Promise<number> {
  await ask();
  const before = treeTicks(process.pid);
  let [asks, ticks] = [0, 0];
  while (ticks < enoughTicks && asks < asksMax) {
    const group = Math.max(5, asks);
    for (let count = 0; count < group; count += 1) await ask();
    asks += group;
    ticks = treeTicks(process.pid) - before;
  }
  return (ticks * tickMs) / asks;
}
