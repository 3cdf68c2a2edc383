import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Children } from './children.ts';
import { measureBlocks } from './measure-blocks.ts';
import { type ColdStarts, measureCpu, warmUp } from './measure-cpu.ts';
import { heavyAccount, lightAccounts, measureFairness, scarceSettings, type StartBefore } from './measure-fairness.ts';
import { measureLatency } from './measure-latency.ts';
import { measureMemory, type StartTarget } from './measure-memory.ts';
import { measureMoney } from './measure-money.ts';
import { type Contestant, measureSharing } from './measure-sharing.ts';
import { type BenchOptions, type BenchPart, readOptions } from './options.ts';
import { fullPace, type Pace, quickPace } from './pace.ts';
import { pinProxy, unpin } from './pin.ts';
import { Progress } from './progress.ts';
import type { BenchResult } from './bench-result.ts';
import { renderReport } from './report.ts';
import { buildStage, type BenchStage } from './stage.ts';
import { startGateway } from './targets/gateway.ts';
import { startNginx } from './targets/nginx.ts';
import { startPeer } from './targets/peer.ts';
import { startPipe } from './targets/pipe.ts';
import { startSplice } from './targets/splice.ts';
import type { Target } from './targets/target.ts';
import { startPostgres } from '../test/services/postgres.ts';

await main(readOptions(process.argv));

async function main(options: BenchOptions): Promise<void> {
  if (!existsSync('/proc/self/stat'))
    throw new Error('The bench needs Linux, because it reads CPU and memory from /proc.');
  const directory = mkdtempSync(join(tmpdir(), 'chat-gateway-bench-'));
  const children = new Children();
  process.on('exit', () => {
    children.killAll();
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
  const progress = new Progress();
  const profileDirectory = options.profile ? mkdtempSync(join(tmpdir(), 'chat-gateway-profile-')) : undefined;
  try {
    const stage = await buildStage(children, directory);
    const result = await measure(stage, options, progress, profileDirectory);
    await children.stopAll();
    progress.clear();
    console.log(options.json ? JSON.stringify(result, null, 2) : renderReport(result));
    if (profileDirectory !== undefined) console.error(`\n${profileNote(profileDirectory)}`);
    if (result.failures.length > 0) process.exitCode = 1;
  } catch (error) {
    progress.clear();
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
  process.exit();
}

async function measure(
  stage: BenchStage,
  options: BenchOptions,
  progress: Progress,
  profileDirectory: string | undefined,
): Promise<BenchResult> {
  const pace = paceOf(options);
  const wanted = (part: BenchPart) => options.only === undefined || options.only === part;
  const command = options.gatewayCommand;
  const starts = (directory?: string): StartTarget[] => [
    () => startNginx(stage),
    () => startPipe(stage),
    () => startSplice(stage),
    () => startGateway(stage, { command, profileDirectory: directory }),
    ...options.peers.map((peer) => () => startPeer(stage, peer)),
  ];
  progress.say('starting the proxies');
  const targets = wanted('cpu') || wanted('latency') ? await startAll(starts(profileDirectory)) : [];
  const bench = { stage, targets, pace, progress, connections: options.connections };
  const coldStarts = await warmUp(bench);
  const cpu = wanted('cpu') ? await measureCpu(bench, coldStarts) : undefined;
  const latency = wanted('latency') ? await measureLatency(stage, targets, pace, progress) : undefined;
  await Promise.all(targets.map((target) => target.stop()));
  const blocks = wanted('blocks')
    ? await measureBlocks(stage, (watch) => pinned(startGateway(stage, { command, ...watch })), pace, progress)
    : undefined;
  const memory = wanted('memory') ? await measureMemory(stage, starts(), pace, progress) : undefined;
  const fairness =
    options.only === 'fairness' ? await measureFairness(stage, fairStarts(options), pace, progress) : undefined;
  const money = options.only === 'money' ? await measureMoney(stage, command, pace, progress) : undefined;
  const sharing = options.workers === undefined ? undefined : await sharingBesideOne(stage, options, progress);
  const reference = targets[0]?.name ?? 'pipe';
  const startSeconds = startOf(targets, coldStarts);
  const peers = options.peers.map(({ name, setUp }) => ({ name, configured: setUp.configured }));
  const { connections } = options;
  return {
    reference,
    connections,
    cpu,
    startSeconds,
    latency,
    blocks,
    memory,
    fairness,
    money,
    sharing,
    peers,
    failures: progress.failures,
  };
}

function paceOf({ quick, streams }: BenchOptions): Pace {
  const pace = quick ? quickPace : fullPace;
  return streams === undefined ? pace : { ...pace, memory: { ...pace.memory, streams: [streams] } };
}

/** The bare pipe stands for clients that call the provider themselves. */
function fairStarts({ gatewayCommand: command, peers }: BenchOptions): readonly StartBefore[] {
  const accounts = [heavyAccount, ...lightAccounts] as const;
  return [
    (stage) => startPipe(stage),
    (stage) => startGateway(stage, { command, accounts, settings: scarceSettings(stage.upstreamPort) }),
    ...peers.map((peer) => (stage: BenchStage) => startPeer(stage, peer)),
  ];
}

/** Until the gateway listens, and its first answer. The bench creates an API key in between, which does not count. */
function startOf(targets: readonly Target[], coldStarts: ColdStarts): number | undefined {
  const listenMs = targets.find(({ name }) => name === 'gateway')?.listenMs;
  const first = coldStarts.gateway;
  return listenMs === undefined || first === undefined ? undefined : (listenMs + first.firstAnswerMs) / 1e3;
}

/** Measures one process, several workers, one gateway on a database, and two gateways on the same database. */
async function sharingBesideOne(stage: BenchStage, options: BenchOptions, progress: Progress) {
  const { gatewayCommand: command, quick, workers = 1 } = options;
  for (const pid of stage.pids) unpin(pid);
  progress.say('starting a database and the gateways');
  const postgres = await startPostgres(['fsync=on', 'synchronous_commit=on', 'full_page_writes=on']);
  try {
    const database = await postgres.createDatabase();
    const alone = await startGateway(stage, { command });
    const several = await startGateway(stage, { command, workers });
    const first = await startGateway(stage, { command, database });
    const second = await startGateway(stage, { command, database });
    const contestants: readonly [Contestant, ...Contestant[]] = [
      { name: 'one process', targets: [alone], processes: 1 },
      { name: `${workers} workers`, targets: [several], processes: workers },
      { name: 'one of two gateways on PostgreSQL', targets: [first], processes: 1, databasePid: postgres.pid },
      { name: 'two gateways on PostgreSQL', targets: [first, second], processes: 2, databasePid: postgres.pid },
    ];
    const result = await measureSharing(stage, contestants, quick ? quickPace : fullPace, progress);
    await Promise.all([alone, several, first, second].map((target) => target.stop()));
    return result;
  } finally {
    await postgres.stop();
  }
}

async function pinned(starting: Promise<Target>): Promise<Target> {
  const target = await starting;
  pinProxy(target.pid);
  return target;
}

/** Starts the proxies in the order of the table. The first one that starts is the reference. */
async function startAll(starts: readonly StartTarget[]): Promise<Target[]> {
  const targets: Target[] = [];
  for (const start of starts) {
    const target = await start();
    if (target === undefined) continue;
    pinProxy(target.pid);
    targets.push(target);
  }
  return targets;
}

function profileNote(directory: string): string {
  const files = readdirSync(directory).map((file) => join(directory, file));
  return files.length > 0 ? `The gateway's CPU profile: ${files.join(', ')}` : 'The gateway wrote no CPU profile.';
}
