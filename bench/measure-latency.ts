import type { Address, DriveReply, Quantiles } from './load-order.ts';
import type { Pace } from './pace.ts';
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
  /** What the proxy adds over what the reference adds; undefined where the reference adds nothing that can be seen. */
  readonly addedToReference: Partial<Record<TargetName, number | undefined>>;
  /** Whether what the gateway adds stays below the limit. */
  readonly limitMs: number;
  readonly gatewayWithinLimit: boolean;
}

const streams = 300;
const limitMs: Quantiles = { p50: 1, p99: 5 };

/** 300 streams at the speed of a model, through each proxy in turn and directly. */
export async function measureLatency(stage: Stage, targets: readonly Target[], pace: Pace, progress: Progress) {
  const replies = new Map<Route, DriveReply[]>();
  const routes: [Route, Address][] = [
    ['direct', { port: stage.upstreamPort, key: 'none' }],
    ...targets.map((target): [Route, Address] => [target.name, target.address]),
  ];
  for (let number = 1; number <= pace.latency.rounds; number += 1) {
    progress.say(`latency, round ${number} of ${pace.latency.rounds}`);
    for (const [route, to] of routes) {
      const reply = await driveStreams(stage, to, pace.latency.roundMs);
      progress.noteFailures(`${route}, ${streams} streams`, reply);
      replies.set(route, [...(replies.get(route) ?? []), reply]);
    }
  }
  const names = targets.map((target) => target.name);
  return (['first byte', 'chunk'] as const).flatMap((what) =>
    (['p50', 'p99'] as const).map((quantile) => compare(what, quantile, names, replies)),
  );
}

type Route = TargetName | 'direct';

/** Beginnings are spread over one answer's length, so that chunks come evenly. */
function driveStreams(stage: Stage, to: Address, durationMs: number): Promise<DriveReply> {
  const spreadMs = chunksPerAnswer * pacedGapMs;
  return stage.drive({ kind: 'drive', to, workload: 'paced', connections: streams, durationMs, spreadMs });
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
