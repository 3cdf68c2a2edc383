import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Children } from './children.ts';
import { pinProxy } from './pin.ts';
import { groupUsage } from './process-usage.ts';
import { buildStage, type Stage } from './stage.ts';
import { median } from './statistics.ts';
import { startGateway } from './targets/gateway.ts';
import type { Target } from './targets/target.ts';

/**
 * What metrics cost: two gateways that differ in nothing else take turns, and the CPU time of an answer of the one is put
 * beside that of the other, round by round.
 */
const rounds = Number(process.argv[2] ?? 9);
const roundMs = 3000;
const afterworkMs = 300;

const directory = mkdtempSync(join(tmpdir(), 'chat-gateway-bench-'));
const children = new Children();
process.on('exit', () => {
  children.killAll();
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

const stage = await buildStage(children, directory);
const command = [process.execPath, join(import.meta.dirname, '../src/cli/main.ts')];
const counting = await startGateway(stage, { command, settings: { telemetry: { metrics: true } } });
const silent = await startGateway(stage, { command, settings: { telemetry: { metrics: false } } });
for (const target of [counting, silent]) {
  pinProxy(target.pid);
  await cpuPerAnswer(stage, target);
}
const ratios: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  // Whoever is second finds the machine as the first one left it: they take turns in that too.
  const [first, second] = round % 2 === 0 ? [counting, silent] : [silent, counting];
  const [one, other] = [await cpuPerAnswer(stage, first), await cpuPerAnswer(stage, second)];
  ratios.push(first === counting ? one / other : other / one);
}
const text = (ratio: number): string => ratio.toFixed(3);
console.log(`CPU per answer with metrics, without = 1: ${text(median(ratios))} (${ratios.map(text).join(', ')})`);
await children.stopAll();
process.exit();

async function cpuPerAnswer({ drive }: Stage, { address, pid }: Target): Promise<number> {
  const before = groupUsage(pid).cpuTicks;
  const workload = 'one-write' as const;
  const reply = await drive({
    kind: 'drive',
    to: [address],
    workload,
    connections: 64,
    durationMs: roundMs,
    spreadMs: 50,
  });
  await delay(afterworkMs);
  return (groupUsage(pid).cpuTicks - before) / reply.answers;
}
