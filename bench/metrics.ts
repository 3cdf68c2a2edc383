import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Children } from './children.ts';
import { pinProxy } from './pin.ts';
import { groupUsage } from './process-usage.ts';
import { type CpuProfile, profileShare } from './profile-share.ts';
import { buildStage } from './stage.ts';
import { median, quartiles } from './statistics.ts';
import { startGateway } from './targets/gateway.ts';
import type { Target } from './targets/target.ts';

/**
 * What metrics cost, looked at from inside and from outside: `npm run bench:metrics -- PAIRS`. Inside, a profile says which
 * part of the event loop's time is spent counting. Outside, two gateways that differ in nothing else take turns, and the CPU
 * time of an answer of the one is put beside that of the other. A block is four short rounds, one, other, other, one, so
 * that whatever drifts meets both alike. Two processes of one program differ as well, by how V8 compiled each: hence several pairs.
 */
const pairs = Number(process.argv[2] ?? 4);
const profiles = 3;
const profiledMs = 20_000;
const blocks = 10;
/** A new gateway takes so long under load until an answer costs what it will cost from then on. */
const warmUpMs = 15_000;
const roundMs = 800;
/** What requests leave to be done later still belongs to them. */
const afterworkMs = 200;

/** The modules by which whatever is counted goes in. */
const countingModules = /\/src\/(telemetry\/(recorder|sampled-chunks)|gateway\/metrics)\.ts$/;

const directory = mkdtempSync(join(tmpdir(), 'chat-gateway-bench-'));
const children = new Children();
process.on('exit', () => {
  children.killAll();
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

const command = [process.execPath, join(import.meta.dirname, '../src/cli/main.ts')];
const stage = await buildStage(children, directory);
console.log(`share of the event loop's time, by ${profiles} profiles: ${(await sharesOfProfiles()).join(', ')}`);
const ratios: number[] = [];
for (let pair = 1; pair <= pairs; pair += 1) {
  const ofPair = await ratiosOfPair();
  console.log(`pair ${pair}: ${spread(ofPair)}`);
  ratios.push(...ofPair);
}
if (pairs > 0) console.log(`CPU per answer with metrics, without = 1: ${spread(ratios)}, ${ratios.length} blocks`);
await children.stopAll();
process.exit();

/** Each of a gateway that nobody has used before, from its first answer on. */
async function sharesOfProfiles(): Promise<readonly string[]> {
  const shares: string[] = [];
  for (let profile = 0; profile < profiles; profile += 1) {
    const profileDirectory = mkdtempSync(join(directory, 'profile-'));
    const target = await startGateway(stage, { command, profileDirectory, settings: { telemetry: { metrics: true } } });
    pinProxy(target.pid);
    await cpuPerAnswer(target, profiledMs);
    await target.stop();
    shares.push(`${(100 * shareIn(profileDirectory, target.pid)).toFixed(2)} %`);
  }
  return shares;
}

/** Every thread writes a profile of its own; that of the event loop has the number 0. */
function shareIn(profileDirectory: string, pid: number): number {
  const [file] = globSync(join(profileDirectory, `CPU.*.${pid}.0.*.cpuprofile`));
  if (file === undefined) throw new Error(`the gateway wrote no profile into ${profileDirectory}`);
  return profileShare(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile, (url) => countingModules.test(url));
}

/** One ratio a block, of two gateways that nobody has used before. */
async function ratiosOfPair(): Promise<readonly number[]> {
  const [counting, silent] = [await started(true), await started(false)];
  const found: number[] = [];
  for (let block = 0; block < blocks; block += 1) {
    // Whoever is outside finds the machine as the block before left it: they take turns in that too.
    const [outer, inner] = block % 2 === 0 ? [counting, silent] : [silent, counting];
    const costs: number[] = [];
    for (const target of [outer, inner, inner, outer]) costs.push(await cpuPerAnswer(target, roundMs));
    const [first = Number.NaN, second = Number.NaN, third = Number.NaN, last = Number.NaN] = costs;
    const outerByInner = (first + last) / (second + third);
    found.push(outer === counting ? outerByInner : 1 / outerByInner);
  }
  await Promise.all([counting.stop(), silent.stop()]);
  return found;
}

async function started(metrics: boolean): Promise<Target> {
  const target = await startGateway(stage, { command, settings: { telemetry: { metrics } } });
  pinProxy(target.pid);
  await cpuPerAnswer(target, warmUpMs);
  return target;
}

async function cpuPerAnswer({ address, pid }: Target, durationMs: number): Promise<number> {
  const before = groupUsage(pid).cpuTicks;
  const workload = 'one-write' as const;
  const reply = await stage.drive({
    kind: 'drive',
    to: [address],
    workload,
    connections: 64,
    durationMs,
    spreadMs: 50,
  });
  await delay(afterworkMs);
  return (groupUsage(pid).cpuTicks - before) / reply.answers;
}

function spread(values: readonly number[]): string {
  const { lower, upper } = quartiles(values);
  return `${median(values).toFixed(3)} (half of the blocks from ${lower.toFixed(3)} to ${upper.toFixed(3)})`;
}
