import { giveOrder } from '../order-channel.ts';
import type { BenchStage } from '../stage.ts';
import { pidOf, type Target } from './target.ts';

/** A bare Node server that splices: the cost of a gateway in Node that does only the necessary work. */
export async function startSplice(stage: BenchStage): Promise<Target> {
  const child = stage.children.fork(new URL('./splice-server.ts', import.meta.url));
  const port = await giveOrder<number>(child, stage.upstreamPort);
  return { name: 'splice', address: { port, key: 'none' }, pid: pidOf(child), stop: () => stage.children.stop(child) };
}
