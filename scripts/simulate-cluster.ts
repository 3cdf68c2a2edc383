import { parseArgs } from 'node:util';
import { jainIndex } from '../src/serving/routing/queue/jain-index.ts';
import { percentile, playCluster, workOf } from '../test/simulator/cluster/cluster.ts';
import { faultyPlan } from '../test/simulator/cluster/faulty-plan.ts';

// Simulates many gateways in front of one provider, in virtual time. Prints fairness, waiting times and overshoot of
// the limit.
const { values } = parseArgs({
  options: {
    gateways: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '40' },
    faulty: { type: 'string', default: '100' },
  },
});
const gateways = Number(values.gateways);
const durationMs = 1000 * Number(values.seconds);
const [limit, serviceMs, settledMs] = [3 * gateways, 2000, 10_000];

const { most, served, reports } = await playCluster({
  seed: 1,
  gateways,
  limit,
  serviceMs,
  durationMs,
  mood: { latencyMs: 10, lossShare: 0.01 },
  loads: [
    { account: 'hog', at: Array.from({ length: gateways }, (_, gateway) => ({ gateway, requests: 10 })) },
    ...Array.from({ length: 20 }, (_, index) => ({
      account: `busy ${index}`,
      at: [{ gateway: index % gateways, requests: 40 }],
    })),
    ...Array.from({ length: 20 }, (_, index) => ({
      account: `light ${index}`,
      pauseMs: 2000,
      at: [{ gateway: (7 * index) % gateways, requests: 1 }],
    })),
  ],
});
const work = workOf(served, settledMs);
const busy = [...work].filter(([account]) => !account.startsWith('light')).map(([, done]) => done);
const waits = served
  .filter(({ account, atMs }) => account.startsWith('light') && atMs > settledMs)
  .map(({ waitMs }) => waitMs / serviceMs);
console.log(`${gateways} gateways, ${limit} slots, ${served.length} answers`);
console.log(`maximum of concurrent calls: ${most} (overshoot ${Math.max(0, most - limit)})`);
console.log(`Jain's index over the busy accounts: ${jainIndex(busy).toFixed(4)}`);
console.log(
  `wait of a light account, in durations of an answer: median ${percentile(waits, 0.5).toFixed(2)}, p99 ${percentile(waits, 0.99).toFixed(2)}`,
);
console.log(`reports per gateway per second: ${(reports / gateways / Number(values.seconds)).toFixed(2)}`);

let overshoot = 0;
for (let seed = 1; seed <= Number(values.faulty); seed += 1) {
  const plan = faultyPlan(seed);
  const life = await playCluster(plan);
  overshoot = Math.max(overshoot, life.most - plan.limit);
}
console.log(`${values.faulty} services with faults: overshoot ${Math.max(0, overshoot)}`);
