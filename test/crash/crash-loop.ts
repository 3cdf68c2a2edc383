import { setTimeout as delay } from 'node:timers/promises';
import { failpointNames } from '../../src/core/failpoint.ts';
import { findRequest, listRequests } from '../../src/requests/find-requests.ts';
import type { RequestRecord } from '../../src/requests/request-record.ts';
import type { Store } from '../../src/store/store.ts';
import type { Evidence } from './evidence.ts';
import { checkInvariants } from './invariants.ts';
import { overspentAccounts } from './money-invariants.ts';
import { between, oneOf, seededRandom } from './random.ts';
import { type CrashStage, type StageOptions, setUp } from './stage.ts';

export interface CrashLoopOptions extends StageOptions {
  readonly cycles: number;
  /** No cycle begins after so long. */
  readonly seconds?: number;
  /** Hears of every cycle. */
  readonly say?: (line: string) => void;
}

export interface CrashReport {
  readonly cycles: number;
  readonly kills: number;
  readonly requests: number;
  readonly rows: number;
  /** What was found not to be true; the loop ends with the cycle that has any. */
  readonly violations: readonly string[];
}

/** Each cycle leaves at least so many rows: of answers that ended at gateways that live on. */
export const rowsPerCycle = 30;
const failpointPassesMax = 6;
/** Its clients name no replies. */
const passedByAll = failpointNames.filter((name) => !name.startsWith('reply.'));
const failpointTimeoutMs = 5000;
/** Only what never comes to rest reaches it. */
const settleTimeoutMs = 120_000;
const sampleEveryMs = 50;
const rowsMax = 1_000_000;

/** Kills gateways under load, again and again, and checks after every restart that nothing is wrong. */
export async function crashLoop(options: CrashLoopOptions): Promise<CrashReport> {
  const { seed, cycles, seconds = Number.POSITIVE_INFINITY, say = () => {} } = options;
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
      const { evidence, wrong } = await judged(stage, seed, sampled);
      violations = [...stage.complaints(), ...wrong];
      say(`cycle ${cycle}: ${how}; ${evidence.outcomes.length} requests, ${evidence.rows.size} with a row`);
    }
    const { length: requests } = stage.load.outcomes;
    return { cycles: cycle, kills: stage.kills(), requests, rows: (await rowsOf(stage.store)).size, violations };
  } finally {
    await stage.tearDown();
  }
}

/** What was read while gateways died. */
interface Samples {
  /** By id: whatever was seen there must stay. */
  readonly rows: Map<string, RequestRecord>;
  /** Accounts whose available balance was below its floor at some moment. */
  readonly overspent: Set<string>;
}

/** Kills one gateway under load and has another take its place; every other time it dies once more, at a failpoint. */
async function crash(stage: CrashStage, random: () => number, samples: Samples): Promise<string> {
  const sampling = new AbortController();
  const sampled = sample(stage.store, samples, sampling.signal);
  stage.load.resume();
  await stage.load.moreOver(between(random, 30, 100));
  const victim = oneOf(random, stage.alive());
  await stage.kill(victim);
  const how = [`${victim.name} killed`];
  if (random() < 0.5) {
    const failpoint = { name: oneOf(random, passedByAll), count: between(random, 1, failpointPassesMax) };
    const armed = await stage.start({ failpoint });
    await Promise.race([armed.gone, delay(failpointTimeoutMs)]);
    how.push(`${armed.name} ${armed.isAlive ? 'did not come to' : 'died at'} ${failpoint.name}`);
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

/** What is wrong once the gateways have stored all they know. What is right a moment later was only late. */
async function judged(
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

/** Waits until the provider has nothing more to do and the gateways have stored what they know. */
async function atRest(stage: CrashStage): Promise<Omit<Evidence, 'seed' | 'sampled' | 'overspent'>> {
  const { store, key, load } = stage;
  const until = performance.now() + settleTimeoutMs;
  let pending = load.outcomes.filter(({ requestId, gateway }) => requestId !== undefined && gateway.isAlive);
  while (performance.now() < until && (pending.length > 0 || stage.journal().open > 0)) {
    await delay(sampleEveryMs);
    const found = await Promise.all(pending.map(({ requestId }) => findRequest(store, requestId ?? '')));
    pending = pending.filter((_, index) => found[index] === undefined);
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
