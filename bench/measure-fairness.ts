import { setTimeout as delay } from 'node:timers/promises';
import { type LiveOutcome, liveClients } from './fairness/live-clients.ts';
import { liveUpstream } from './fairness/live-upstream.ts';
import type { Pace } from './pace.ts';
import type { Progress } from './progress.ts';
import type { BenchStage } from './stage.ts';
import { quantiles } from './statistics.ts';
import type { Target, TargetName } from './targets/target.ts';

/** One heavy account beside light ones, in front of a provider that refuses what it cannot serve at once. */
export interface FairnessResult {
  readonly name: TargetName;
  /** Whether each account has its own key. */
  readonly hasAccounts: boolean;
  readonly light: Service;
  readonly heavy: Service;
}

export interface Service {
  readonly attempts: number;
  /** Share of the attempts with a complete answer. */
  readonly answered: number;
  /** From the first attempt to the first token. A client repeats a refused request after its pause. */
  readonly firstTokenMs: { readonly p50: number; readonly p99: number };
  readonly answersPerSecond: number;
}

/** Starts a target in front of the upstream of this stage. */
export type StartBefore = (stage: BenchStage) => Promise<Target>;

export const heavyAccount = 'heavy';
export const lightAccounts = ['light-1', 'light-2', 'light-3', 'light-4'] as const;
export const scarceSlots = 8;
export const heavyStreams = 32;
export const pauseMs = 1_000;
export const scarceServiceMs = 1_000;

export async function measureFairness(
  stage: BenchStage,
  starts: readonly StartBefore[],
  pace: Pace,
  progress: Progress,
): Promise<readonly FairnessResult[]> {
  const results: FairnessResult[] = [];
  for (const start of starts) {
    const upstream = await liveUpstream({ slots: scarceSlots, serviceMs: scarceServiceMs });
    const target = await start({ ...stage, upstreamPort: upstream.port });
    progress.say(`fairness, ${target.name}`);
    results.push(await measureOne(target, pace.fairness));
    await target.stop();
    upstream.close();
  }
  return results;
}

async function measureOne(target: Target, { warmUpMs, measureMs }: Pace['fairness']): Promise<FairnessResult> {
  const { address, otherKeys = [] } = target;
  const light = lightAccounts.map((_, index) => ({ ...address, key: otherKeys[index] ?? address.key }));
  const clients = liveClients([
    { to: address, streams: heavyStreams, pauseMs },
    ...light.map((to) => ({ to, streams: 1, pauseMs })),
  ]);
  await delay(warmUpMs);
  const before = clients.outcomes.map(({ length }) => length);
  await delay(measureMs);
  const [heavyOutcomes = [], ...lightOutcomes] = clients.outcomes.map((outcomes, index) =>
    outcomes.slice(before[index]),
  );
  await clients.stop();
  return {
    name: target.name,
    hasAccounts: otherKeys.length > 0,
    light: serviceOf(lightOutcomes.flat(), measureMs),
    heavy: serviceOf(heavyOutcomes, measureMs),
  };
}

export function serviceOf(outcomes: readonly LiveOutcome[], durationMs: number): Service {
  const answered = outcomes.filter(({ isAnswered }) => isAnswered);
  return {
    attempts: outcomes.length,
    answered: answered.length / outcomes.length,
    firstTokenMs: quantiles(answered.map(({ firstTokenMs }) => firstTokenMs)),
    answersPerSecond: (answered.length * 1e3) / durationMs,
  };
}

/** The gateway's configuration for this measurement. It has to know the slots of the provider. */
export function scarceSettings(upstreamPort: number): Readonly<Record<string, unknown>> {
  const base_url = `http://127.0.0.1:${upstreamPort}/v1`;
  return {
    upstreams: [{ name: 'fake', kind: 'openai', base_url, max_concurrency: scarceSlots }],
    models: [liveModel],
    accounts: [heavyAccount, ...lightAccounts].map((name) => ({ name, package: 'standard', credit: '1000000.00' })),
  };
}

/** A dollar for a million tokens, so the charge in millionths of a dollar is the number of tokens. */
export const liveModel = {
  id: 'live',
  max_output_tokens: 1000,
  routes: [{ upstream: 'fake' }],
  price: { input: '1', output: '1' },
};
