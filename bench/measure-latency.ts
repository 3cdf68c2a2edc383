import type { Address, DriveReply, Quantiles } from './load-order.ts';
import type { Pace } from './pace.ts';
import { groupUsage, ticksPerSecond } from './process-usage.ts';
import type { Progress } from './progress.ts';
import type { Stage } from './stage.ts';
import { median } from './statistics.ts';
import type { Target, TargetName } from './targets/target.ts';
import { chunksPerAnswer, pacedGapMs } from './workload.ts';

/** One delay of every proxy, told against the direct way to the upstream. */
export interface LatencyResult {
  readonly what: 'first byte' | 'chunk';
  readonly quantile: keyof Quantiles;
  /** The whole delay over the delay without a proxy. */
  readonly toDirect: Partial<Record<TargetName, number>>;
  /** The whole delay over that of the bare Node pipe. */
  readonly toPipe: Partial<Record<TargetName, number>>;
  /** What the proxy adds over what the reference adds; undefined where the reference adds nothing that can be seen. */
  readonly addedToReference: Partial<Record<TargetName, number | undefined>>;
  /** Whether what the gateway adds stays below the limit. */
  readonly limitMs: number;
  readonly gatewayWithinLimit: boolean;
}

const limitMs: Quantiles = { p50: 1, p99: 5 };

/** What a latency measurement found, and with how many streams. */
export interface LatencyResults {
  readonly streams: number;
  readonly rows: readonly LatencyResult[];
}

/** Streams at the speed of a model, a fixed number and half of what the gateway can serve. */
export async function measureLatency(stage: Stage, targets: readonly Target[], pace: Pace, progress: Progress) {
  const measured: Measured = { stage, targets, pace, progress };
  const results: LatencyResults[] = [];
  for (const streams of [streamsWithBound, await halfOfSaturation(measured)]) {
    results.push(await measureStreams(measured, streams));
  }
  return results;
}

/** The bounds in milliseconds hold for this many streams. */
const streamsWithBound = 300;

interface Measured {
  readonly stage: Stage;
  readonly targets: readonly Target[];
  readonly pace: Pace;
  readonly progress: Progress;
}

/** Through each proxy in turn and directly. */
async function measureStreams({ stage, targets, pace, progress }: Measured, streams: number): Promise<LatencyResults> {
  const replies = new Map<Route, DriveReply[]>();
  const routes: [Route, Address][] = [
    ['direct', { port: stage.upstreamPort, key: 'none' }],
    ...targets.map((target): [Route, Address] => [target.name, target.address]),
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
 * As many streams as keep the gateway's core busy for half of the time. Half as many answers as it manages when it has
 * nothing but work would be far more than half of the work: chunks that wait are read several at a time.
 */
async function halfOfSaturation({ stage, targets, pace, progress }: Measured): Promise<number> {
  const gateway = targets.find(({ name }) => name === 'gateway');
  if (gateway === undefined) throw new Error('the gateway is not there');
  const answerSeconds = (chunksPerAnswer * pacedGapMs) / 1000;
  let streams = 100;
  // What an answer costs depends on how many there are, so it is asked again with what was found.
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    progress.say(`latency, looking for half of saturation with ${streams} streams`);
    const before = groupUsage(gateway.pid).cpuTicks;
    const { answers } = await driveStreams(stage, gateway.address, { streams, durationMs: pace.latency.roundMs });
    const secondsPerAnswer = (groupUsage(gateway.pid).cpuTicks - before) / ticksPerSecond / answers;
    streams = Math.max(1, Math.round((answerSeconds / secondsPerAnswer) * 0.5));
  }
  return streams;
}

type Route = TargetName | 'direct';

/** Beginnings are spread over one answer's length, so that chunks come evenly. */
function driveStreams(
  stage: Stage,
  to: Address,
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
  const toPipe: LatencyResult['toPipe'] = {};
  const addedToReference: LatencyResult['addedToReference'] = {};
  for (const name of names) {
    toDirect[name] = micros(name) / direct;
    toPipe[name] = micros(name) / micros('pipe');
    addedToReference[name] = referenceAdds > 0 ? (micros(name) - direct) / referenceAdds : undefined;
  }
  const gatewayWithinLimit = micros('gateway') - direct <= limitMs[quantile] * 1e3;
  return { what, quantile, toDirect, toPipe, addedToReference, limitMs: limitMs[quantile], gatewayWithinLimit };
}
