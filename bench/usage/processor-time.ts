import { treeTicks } from '../process-usage.ts';

const tickMs = 10;
/** Enough that the clock's ticks do not matter. */
const enoughTicks = 40;
const asksMax = 2000;

/** How much of the processor an ask takes, of this process and of the database it has started, whatever else the machine does. */
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
