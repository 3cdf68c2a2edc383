import type { Children } from './children.ts';
import type { UpstreamOrder } from './fake-upstream.ts';
import type { CollectOrder, DriveOrder, DriveReply, HoldOrder, HoldReply } from './load-order.ts';
import { giveOrder } from './order-channel.ts';
import { pinLoad } from './pin.ts';

/** The surroundings of the measured proxy: the upstream and the load, each in its own process. */
export interface BenchStage {
  readonly children: Children;
  readonly upstreamPort: number;
  /** The processes of the upstream and of the load. */
  readonly pids: readonly number[];
  /** The directory of this run, removed at the end. */
  readonly directory: string;
  drive(order: DriveOrder): Promise<DriveReply>;
  hold(order: HoldOrder): Promise<HoldReply>;
  /** Completes all held streams at the upstream, and returns how many arrived complete. */
  releaseHeld(): Promise<HoldReply>;
}

/** Starts both processes. `children.killAll` ends them. */
export async function buildStage(children: Children, directory: string): Promise<BenchStage> {
  const upstream = children.fork(new URL('./fake-upstream.ts', import.meta.url));
  const load = children.fork(new URL('./load.ts', import.meta.url));
  const pids = [upstream, load].flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  for (const pid of pids) pinLoad(pid);
  const upstreamPort = await giveOrder<number>(upstream, 'port' satisfies UpstreamOrder);
  return {
    children,
    upstreamPort,
    pids,
    directory,
    drive: (order) => giveOrder<DriveReply>(load, order),
    hold: (order) => giveOrder<HoldReply>(load, order),
    releaseHeld: async () => {
      await giveOrder<number>(upstream, 'release' satisfies UpstreamOrder);
      return giveOrder<HoldReply>(load, { kind: 'collect' } satisfies CollectOrder);
    },
  };
}
