import { setTimeout as delay } from 'node:timers/promises';
import { failpointNames } from '../../src/core/failpoint.ts';
import { findRequest, listRequests } from '../../src/money/requests/find-requests.ts';
import type { RequestRecord } from '../../src/money/requests/request-record.ts';
import type { Store } from '../../src/platform/store/store.ts';
import type { Evidence } from './evidence.ts';
import { checkInvariants } from './invariants.ts';
import { overspentAccounts } from './money-invariants.ts';
import { between, oneOf, seededRandom } from './random.ts';
import { type CrashStage, type StageOptions, setUp } from './stage.ts';

export interface CrashLoopOptions extends StageOptions {
  readonly cycles: number;
  /** No cycle begins after this time. */
  readonly seconds?: number;
  /** Called once per cycle. */
  readonly log?: (line: string) => void;
}

export interface CrashReport {
  readonly cycles: number;
  readonly kills: number;
  readonly requests: number;
  readonly rows: number;
  /** The violated invariants. The loop ends with the first cycle that has any. */
  readonly violations: readonly string[];
}

/** The least number of rows per cycle, from answers that ended at gateways that were not killed. */
export const rowsPerCycle = 30;
const failpointPassesMax = 6;
/** The failpoints that every request passes. The clients of the loop send no Idempotency-Key. */
const commonFailpoints = failpointNames.filter((name) => !name.startsWith('reply.'));
const failpointTimeoutMs = 5000;
/** Reached only if the gateways never become idle. */
const settleTimeoutMs = 120_000;
const sampleEveryMs = 50;
const rowsMax = 1_000_000;

/** Kills gateways under load in a loop, and checks the invariants after every restart. */
export async function crashLoop(options: CrashLoopOptions): Promise<CrashReport> {
  const { seed, cycles, seconds = Number.POSITIVE_INFINITY, log = () => {} } = options;
  const stage = await setUp(options);
  const random = seededRandom(seed, 'driver');
  const sampled: Samples = { rows: new Map(), overspent: new Set() };
  const until = performance.now() + seconds * 1000;
  let cycle = 0;
  let violations: readonly string[] = [];
  try {
    while (cycle < cycles && performance.now() < until && violations.length === 0) {
      cycle += 1;
      const how = await crash(stage, random, sampled);
      const { evidence, wrong } = await judge(stage, seed, sampled);
      violations = [...stage.complaints(), ...wrong];
      log(`cycle ${cycle}: ${how}; ${evidence.outcomes.length} requests, ${evidence.rows.size} with a row`);
    }
    const { length: requests } = stage.load.outcomes;
    return { cycles: cycle, kills: stage.kills(), requests, rows: (await rowsOf(stage.store)).size, violations };
  } finally {
    await stage.tearDown();
  }
}

/** Rows and balances that were read while gateways were killed. */
interface Samples {
  /** By id. A row that was read once must stay. */
  readonly rows: Map<string, RequestRecord>;
  /** Accounts whose available balance was below its floor at any time. */
  readonly overspent: Set<string>;
}

/**
 * Kills one gateway under load and replaces it. With a chance of 50 %, the replacement is killed at a failpoint first.
 */
async function crash(stage: CrashStage, random: () => number, samples: Samples): Promise<string> {
  const sampling = new AbortController();
  const sampled = sample(stage.store, samples, sampling.signal);
  stage.load.resume();
  await stage.load.moreOver(between(random, 30, 100));
  const victim = oneOf(random, stage.alive());
  await stage.kill(victim);
  const how = [`${victim.name} killed`];
  if (random() < 0.5) {
    const failpoint = { name: oneOf(random, commonFailpoints), count: between(random, 1, failpointPassesMax) };
    const armed = await stage.start({ failpoint });
    await Promise.race([armed.gone, delay(failpointTimeoutMs)]);
    how.push(`${armed.name} ${armed.isAlive ? 'did not reach' : 'was killed at'} ${failpoint.name}`);
    await stage.kill(armed);
  }
  await stage.start();
  await stage.load.moreOver(between(random, 15, 40));
  await stage.load.moreDone(rowsPerCycle);
  await stage.load.pause();
  sampling.abort();
  await sampled;
  return how.join(', ');
}

async function sample(store: Store, samples: Samples, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const row of await listRequests(store, { limit: 100 })) samples.rows.set(row.id, row);
    for (const accountId of await overspentAccounts(store)) samples.overspent.add(accountId);
    await delay(sampleEveryMs);
  }
}

/** The violations once the gateways have stored everything. Retries the checks, because a write may be late. */
async function judge(
  stage: CrashStage,
  seed: number,
  { rows, overspent }: Samples,
): Promise<{ readonly evidence: Evidence; readonly wrong: readonly string[] }> {
  for (const until = performance.now() + settleTimeoutMs; ; await delay(sampleEveryMs)) {
    const evidence = { ...(await atRest(stage)), seed, sampled: [...rows.values()], overspent: [...overspent] };
    const wrong = await checkInvariants(evidence);
    if (wrong.length === 0 || performance.now() > until) return { evidence, wrong };
  }
}

/** Waits until the provider has no open call and the gateways have stored their records. */
async function atRest(stage: CrashStage): Promise<Omit<Evidence, 'seed' | 'sampled' | 'overspent'>> {
  const { store, key, load } = stage;
  const until = performance.now() + settleTimeoutMs;
  let pending = load.outcomes.filter(({ requestId, gateway }) => requestId !== undefined && gateway.isAlive);
  while (performance.now() < until && (pending.length > 0 || stage.journal().open > 0)) {
    await delay(sampleEveryMs);
    const records = await Promise.all(pending.map(({ requestId }) => findRequest(store, requestId ?? '')));
    pending = pending.filter((_, index) => records[index] === undefined);
  }
  return {
    gateways: stage.alive(),
    key,
    store,
    journal: stage.journal(),
    outcomes: load.outcomes,
    rows: await rowsOf(store),
  };
}

async function rowsOf(store: Store): Promise<ReadonlyMap<string, readonly RequestRecord[]>> {
  return Map.groupBy(await listRequests(store, { limit: rowsMax }), ({ userId }) => userId ?? '');
}
