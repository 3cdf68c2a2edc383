import { ruled } from '../ruled.ts';
import { FairQueue } from '../../src/serving/routing/fair-queue/fair-queue.ts';
import { aims } from './aims.ts';
import { dispatchCostMicros } from './dispatch-cost.ts';
import { Fifo } from './fifo.ts';
import { type FairnessFigures, fairnessFigures } from './figures.ts';

/** The most that one dispatch may cost. The table shows whether it is met, and the ratio to a FIFO. */
const dispatchMicrosMax = 50;

const fair = fairnessFigures((elapsed) => new FairQueue(elapsed));
const fifo = fairnessFigures(() => new Fifo());
const table = [['simulated', 'fair queue', 'FIFO', 'aim', 'met']];
const names = Object.keys(aims) as (keyof FairnessFigures)[];
for (const name of names) {
  const { title, aim, isMet, write } = aims[name];
  table.push([title, write(fair[name]), write(fifo[name]), aim, isMet(fair[name]) ? 'yes' : 'NO']);
}
const fifoMicros = dispatchCostMicros(new Fifo());
const fairMicros = dispatchCostMicros(new FairQueue(() => performance.now()));
const isQuick = fairMicros <= dispatchMicrosMax;
const ratio = (fairMicros / fifoMicros).toFixed(1);
table.push([
  'a dispatch at 10,000 accounts, FIFO = 1',
  ratio,
  '1',
  `≤ ${dispatchMicrosMax} µs`,
  isQuick ? 'yes' : 'NO',
]);
console.log(ruled(table));

const isFair = names.every((name) => aims[name].isMet(fair[name])) && isQuick;
const doesControlFail = names.some((name) => !aims[name].isMet(fifo[name]));
if (!doesControlFail) console.log('The FIFO met every aim too, so these scenarios prove nothing.');
process.exitCode = isFair && doesControlFail ? 0 : 1;
