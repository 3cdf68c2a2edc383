import { giveOrder } from '../order-channel.ts';
import type { BenchStage } from '../stage.ts';
import { pidOf, type Target } from './target.ts';

/** The bare Node byte pipe: the cost of a gateway in Node that does no work. */
export async function startPipe(stage: BenchStage): Promise<Target> {
  const child = stage.children.fork(new URL('./pipe-server.ts', import.meta.url));
  const port = await giveOrder<number>(child, stage.upstreamPort);
  return { name: 'pipe', address: { port, key: 'none' }, pid: pidOf(child), stop: () => stage.children.stop(child) };
}
