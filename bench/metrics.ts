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
 * Measures the cost of metrics from inside and from outside: `npm run bench:metrics -- PAIRS`. Inside, a profile shows
 * the share of the event loop's time that is spent on counting. Outside, two gateways that differ only in metrics run
 * in turn, and their CPU times per answer are compared. A block is four short rounds in the order A, B, B, A, so that
 * drift affects both equally. Two processes of one program also differ by how V8 compiled each. Therefore several pairs
 * are measured.
 */
const pairs = Number(process.argv[2] ?? 4);
const profiles = 3;
const profiledMs = 20_000;
const blocks = 10;
/** Time under load until the cost of an answer of a new gateway is constant. */
const warmUpMs = 15_000;
const roundMs = 800;
/** Work that requests leave for later counts as theirs. */
const afterworkMs = 200;

/** The modules through which all counting goes. */
const countingModules = /\/src\/(telemetry\/metrics\/recorder|gateway\/metrics)\.ts$/;

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

/** Profiles new gateways, from their first answer on. */
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

/** Every thread writes its own profile. The profile of the event loop has the number 0. */
function shareIn(profileDirectory: string, pid: number): number {
  const [file] = globSync(join(profileDirectory, `CPU.*.${pid}.0.*.cpuprofile`));
  if (file === undefined) throw new Error(`the gateway wrote no profile into ${profileDirectory}`);
  return profileShare(JSON.parse(readFileSync(file, 'utf8')) as CpuProfile, (url) => countingModules.test(url));
}

/** One ratio per block, of two new gateways. */
async function ratiosOfPair(): Promise<readonly number[]> {
  const [counting, silent] = [await started(true), await started(false)];
  const found: number[] = [];
  for (let block = 0; block < blocks; block += 1) {
    // The outer gateway gets the machine in the state that the previous block left. The gateways alternate in this too.
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
