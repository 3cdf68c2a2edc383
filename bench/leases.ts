import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Arbiter, Report } from '../src/platform/cluster/arbiter.ts';
import { postgresArbiter } from '../src/platform/cluster/postgres-arbiter.ts';
import { openStore, type Store } from '../src/platform/store/store.ts';
import { startPostgres } from '../test/services/postgres.ts';
import { treeTicks } from './process-usage.ts';
import { quantiles } from './statistics.ts';

// Measures the cost of the reports of many gateways for their shared PostgreSQL. Simulated gateways send the real
// statements once a second.
const { values } = parseArgs({
  options: {
    gateways: { type: 'string', default: '100' },
    upstreams: { type: 'string', default: '5' },
    accounts: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '20' },
    /** Every report is a commit, so the disk is measured too. `off` excludes it. */
    fsync: { type: 'string', default: 'on' },
  },
});
const gateways = Number(values.gateways);
const upstreams = Number(values.upstreams);
const accounts = Number(values.accounts);
const seconds = Number(values.seconds);
const everyMs = 1000;
/** Fewer connections than as many real gateways would have: only the statements are measured here. */
const stores = 5;
const limit = 10 * gateways;

const postgres = await startPostgres([`fsync=${values.fsync}`, `max_connections=${gateways + 100}`]);
const database = await postgres.createDatabase();
const opened: Store[] = [];
for (let count = 0; count < stores; count += 1) opened.push(await openStore({ database }));
const arbiters = Array.from({ length: gateways }, (_, index) => {
  const process = `gateway-${index}`;
  return { process, arbiter: postgresArbiter({ store: opened[index % stores]!, database, process }) };
});
for (const { arbiter } of arbiters) arbiter.subscribe(() => {});

const tookMs: number[] = [];
let failures = 0;
const over = new AbortController();
const reporters = arbiters.map(({ process, arbiter }, index) => reportOn(process, arbiter, index));
await delay(3 * everyMs);
tookMs.length = 0;
const [ticks, cpu, beganMs] = [treeTicks(postgres.pid), process.cpuUsage(), performance.now()];
await delay(seconds * 1000);
const elapsedMs = performance.now() - beganMs;
const own = process.cpuUsage(cpu);
const databaseCores = ((treeTicks(postgres.pid) - ticks) * 10) / elapsedMs;
const { p50, p99 } = quantiles(tookMs);
console.log(`${gateways} gateways, ${upstreams} upstreams, ${accounts} accounts at each: ${tookMs.length} reports, ${failures} failed.
The database needed ${(100 * databaseCores).toFixed(0)} % of one core, the gateways together ${((own.user + own.system) / elapsedMs / 10).toFixed(0)} %.
A report took ${p50.toFixed(0)} ms (p50), ${p99.toFixed(0)} ms (p99). The limit is 3000 ms.`);
over.abort();
await Promise.all(reporters);
await Promise.all(arbiters.map(({ arbiter }) => arbiter.stop()));
await Promise.all(opened.map((store) => store.close()));
await postgres.stop();

/** Some gateways wait, some have slots, and this changes every second. */
function reportOf(name: string, number: number, has: ReadonlyMap<string, number>): Report {
  const resources = Array.from({ length: upstreams }, (_, upstream) => {
    const demands = Array.from({ length: accounts }, (_each, account) => ({
      id: `account-${(account * 7 + number + name.length) % (4 * accounts)}`,
      weight: 1 + (account % 3),
      running: Math.floor(Math.random() * 2),
      waiting: Math.floor(Math.random() * 3),
      used: number * 50,
    }));
    const running = demands.reduce((sum, each) => sum + each.running, 0);
    const waiting = demands.reduce((sum, each) => sum + each.waiting, 0);
    const called = `upstream-${upstream}`;
    return {
      name: called,
      limit,
      has: has.get(called) ?? 0,
      running: Math.min(running, has.get(called) ?? 0),
      waiting,
      accounts: demands,
    };
  });
  return {
    process: name,
    host: { machine: name, pid: 1 },
    number,
    resources,
    dead: [],
    sharedState: [],
    sharedStateSeen: 0,
  };
}

async function reportOn(name: string, arbiter: Arbiter, index: number): Promise<void> {
  let has: ReadonlyMap<string, number> = new Map();
  await delay((index * everyMs) / gateways);
  for (let number = 1; !over.signal.aborted; number += 1) {
    const sentMs = performance.now();
    try {
      const reply = await arbiter.report(reportOf(name, number, has));
      has = new Map(reply.resources.map((lease) => [lease.name, lease.may]));
      tookMs.push(performance.now() - sentMs);
    } catch {
      failures += 1;
    }
    await delay(Math.max(0, everyMs - (performance.now() - sentMs)));
  }
}
