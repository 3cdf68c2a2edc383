import type { LoadAddress, DriveReply, Quantiles } from './load-order.ts';
import type { Pace } from './pace.ts';
import { groupUsage, ticksPerSecond } from './process-usage.ts';
import type { Progress } from './progress.ts';
import type { BenchStage } from './stage.ts';
import { median } from './statistics.ts';
import type { Target, TargetName } from './targets/target.ts';
import { chunksPerAnswer, pacedGapMs } from './workload.ts';

/** One delay of every proxy, compared with the direct connection to the upstream. */
export interface LatencyResult {
  readonly what: 'first byte' | 'chunk';
  readonly quantile: keyof Quantiles;
  /** The whole delay, relative to the delay without a proxy. */
  readonly toDirect: Partial<Record<TargetName, number>>;
  /** The added delay, relative to that of the reference. Undefined if the reference adds no measurable delay. */
  readonly addedToReference: Partial<Record<TargetName, number | undefined>>;
  /** The limit of the gateway's added delay. */
  readonly limitMs: number;
  readonly gatewayWithinLimit: boolean;
}

const limitMs: Quantiles = { p50: 1, p99: 5 };

export interface LatencyResults {
  readonly streams: number;
  readonly rows: readonly LatencyResult[];
}

/** Measures streams at the speed of a model: a fixed number, and half of saturation. */
export async function measureLatency(stage: BenchStage, targets: readonly Target[], pace: Pace, progress: Progress) {
  const measured: Measured = { stage, targets, pace, progress };
  const results: LatencyResults[] = [];
  for (const streams of [streamsWithBound, await halfOfSaturation(measured)]) {
    results.push(await measureStreams(measured, streams));
  }
  return results;
}

/** The limits in milliseconds apply to this number of streams. */
const streamsWithBound = 300;

interface Measured {
  readonly stage: BenchStage;
  readonly targets: readonly Target[];
  readonly pace: Pace;
  readonly progress: Progress;
}

/** Measures each proxy in turn, and the direct connection. */
async function measureStreams({ stage, targets, pace, progress }: Measured, streams: number): Promise<LatencyResults> {
  const replies = new Map<Route, DriveReply[]>();
  const routes: [Route, LoadAddress][] = [
    ['direct', { port: stage.upstreamPort, key: 'none' }],
    ...targets.map((target): [Route, LoadAddress] => [target.name, target.address]),
  ];
  for (let number = 1; number <= pace.latency.rounds; number += 1) {
    progress.say(`latency, ${streams} streams, round ${number} of ${pace.latency.rounds}`);
    for (const [route, to] of routes) {
      const reply = await driveStreams(stage, to, { streams, durationMs: pace.latency.roundMs });
      progress.noteFailures(`${route}, ${streams} streams`, reply);
      replies.set(route, [...(replies.get(route) ?? []), reply]);
    }
  }
  const names = targets.map((target) => target.name);
  const rows = (['first byte', 'chunk'] as const).flatMap((what) =>
    (['p50', 'p99'] as const).map((quantile) => compare(what, quantile, names, replies)),
  );
  return { streams, rows };
}

/**
 * The number of streams that keep the gateway's core busy for half of the time. Half of the answers at full load would
 * be far more than half of the work, because waiting chunks are read several at a time.
 */
async function halfOfSaturation({ stage, targets, pace, progress }: Measured): Promise<number> {
  const gateway = targets.find(({ name }) => name === 'gateway');
  if (gateway === undefined) throw new Error('the gateway is not among the targets');
  const answerSeconds = (chunksPerAnswer * pacedGapMs) / 1000;
  let streams = 100;
  // The cost of an answer depends on the number of streams, so it is measured again with the new number.
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    progress.say(`latency, looking for half of saturation with ${streams} streams`);
    const before = groupUsage(gateway.pid).cpuTicks;
    const { answers } = await driveStreams(stage, gateway.address, { streams, durationMs: pace.latency.roundMs });
    const secondsPerAnswer = (groupUsage(gateway.pid).cpuTicks - before) / ticksPerSecond / answers;
    streams = Math.max(1, Math.round((answerSeconds / secondsPerAnswer) * 0.5));
  }
  return streams;
}

/** A target, or `direct` for the upstream without a proxy. */
type Route = TargetName;

/** The starts are spread over the length of one answer, so that chunks arrive evenly. */
function driveStreams(
  stage: BenchStage,
  to: LoadAddress,
  { streams, durationMs }: { streams: number; durationMs: number },
): Promise<DriveReply> {
  const spreadMs = chunksPerAnswer * pacedGapMs;
  return stage.drive({ kind: 'drive', to: [to], workload: 'paced', connections: streams, durationMs, spreadMs });
}

function compare(
  what: LatencyResult['what'],
  quantile: keyof Quantiles,
  names: readonly TargetName[],
  replies: ReadonlyMap<Route, readonly DriveReply[]>,
): LatencyResult {
  const micros = (route: Route) =>
    median(
      (replies.get(route) ?? []).map(
        (reply) => (what === 'chunk' ? reply.chunkMicros : reply.firstByteMicros)[quantile],
      ),
    );
  const direct = micros('direct');
  const referenceAdds = micros(names[0] ?? 'pipe') - direct;
  const toDirect: LatencyResult['toDirect'] = {};
  const addedToReference: LatencyResult['addedToReference'] = {};
  for (const name of names) {
    toDirect[name] = micros(name) / direct;
    addedToReference[name] = referenceAdds > 0 ? (micros(name) - direct) / referenceAdds : undefined;
  }
  const gatewayWithinLimit = micros('gateway') - direct <= limitMs[quantile] * 1e3;
  return { what, quantile, toDirect, addedToReference, limitMs: limitMs[quantile], gatewayWithinLimit };
}
