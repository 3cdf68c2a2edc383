import { setTimeout as delay } from 'node:timers/promises';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { type ClusterStage, setUpCluster } from '../cluster/stage.ts';
import type { GatewayProcess } from './processes.ts';
import { between, oneOf, seededRandom } from './random.ts';

export interface BatchLoopOptions {
  readonly seed: number;
  readonly kills: number;
  readonly lines: number;
  readonly processes?: number;
  /** The URL of a PostgreSQL database. Default: the embedded store. */
  readonly database?: string | undefined;
  /** Kills the database server and starts it again. */
  readonly crashDatabase?: (() => Promise<void>) | undefined;
  readonly log?: (line: string) => void;
}

export interface BatchReport {
  readonly kills: number;
  readonly seconds: number;
  readonly succeeded: number;
  readonly interrupted: number;
  readonly calls: number;
  readonly violations: readonly string[];
}

const limit = 8;
const serviceMs = 100;
/** Few lines end while a gateway starts, so that a batch lasts for many faults. */
const serviceMsOfFaults = 2000;
/** About as long as the heartbeats of a living process may be late. So a gateway goes on while others run its lines. */
const stoppedSeconds = { least: 32, most: 40 };
/** What a process had decided to send when it was stopped, it sends when it goes on. Nothing can prevent that. */
const sendMs = 100;
const account = 'owner';
/** The batch ends long before, unless a line is lost. */
const endTimeoutMs = 600_000;

/** Kills gateways and the database server while a batch runs, and checks the batch and the ledger at its end. */
export async function batchLoop(options: BatchLoopOptions): Promise<BatchReport> {
  const { lines, database, processes = 2 } = options;
  const stage = await setUpCluster({
    database,
    gateways: processes,
    limit,
    serviceMs,
    accounts: { [account]: 1 },
  });
  const start = performance.now();
  try {
    const { id, customIds } = await createBatch(stage, lines);
    const resumedMs: number[] = [];
    const kills = await killInTurn(stage, id, { ...options, resumed: () => void resumedMs.push(performance.now()) });
    const batch = await ended(stage, id);
    const found = [...(await linesOf(stage, batch.output_file_id)), ...(await linesOf(stage, batch.error_file_id))];
    return {
      kills,
      seconds: Math.round((performance.now() - start) / 1000),
      succeeded: batch.request_counts.completed,
      interrupted: found.filter(({ error }) => error?.code === 'request_interrupted').length,
      calls: stage.provider.callLog.length,
      violations: [
        ...outcomeViolations(customIds, found),
        ...callViolations(stage, customIds, { isShared: database !== undefined, resumedMs }),
        ...(await moneyViolations(stage, found)),
      ],
    };
  } finally {
    await stage.tearDown();
  }
}

interface Batch {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly request_counts: { readonly total: number; readonly completed: number; readonly failed: number };
}

interface OutputLine {
  readonly custom_id: string;
  readonly response: { readonly status_code: number; readonly request_id: string } | null;
  readonly error: { readonly code: string } | null;
}

async function createBatch(stage: ClusterStage, lines: number) {
  const customIds = Array.from({ length: lines }, (_, at) => `line-${at}`);
  const url = '/v1/chat/completions';
  const text = customIds
    .map((custom_id) => {
      const body = { model: 'shared', max_tokens: 100, messages: [{ role: 'user', content: custom_id }] };
      return `${JSON.stringify({ custom_id, method: 'POST', url, body })}\n`;
    })
    .join('');
  const form = new FormData();
  form.append('purpose', 'batch');
  form.append('file', new Blob([text]), 'lines.jsonl');
  const file = (await (await call(stage, '/v1/files', { method: 'POST', body: form })).json()) as { id: string };
  const order = JSON.stringify({ input_file_id: file.id, endpoint: url, completion_window: '24h' });
  const headers = { 'content-type': 'application/json' };
  const { id } = (await (await call(stage, '/v1/batches', { method: 'POST', body: order, headers })).json()) as Batch;
  return { id, customIds };
}

async function call({ gateways, keyOf }: ClusterStage, path: string, init: RequestInit = {}): Promise<Response> {
  const { port } = gateways.findLast(({ isAlive }) => isAlive)!;
  const headers = { ...init.headers, authorization: `Bearer ${keyOf(account)}`, connection: 'close' };
  return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
}

/**
 * Each fault follows some answers, so that lines are in every state: one in five kills the database server, one in ten
 * stops a gateway until others have taken its lines over, and the others kill a gateway. Returns the number of faults:
 * there are fewer if the batch ends before.
 */
async function killInTurn(
  stage: ClusterStage,
  id: string,
  { seed, kills, crashDatabase, resumed, log = () => {} }: BatchLoopOptions & { readonly resumed: () => void },
): Promise<number> {
  const random = seededRandom(seed, 'batch');
  for (let kill = 1; kill <= kills; kill += 1) {
    const chance = random();
    await answersAfter(stage, between(random, 5, 40));
    if ((await find(stage, id))?.status === 'completed') return kill - 1;
    const victim = oneOf(
      random,
      stage.gateways.filter(({ isAlive }) => isAlive),
    );
    const isDatabase = crashDatabase !== undefined && chance < 0.2;
    const isStopped = chance >= 0.2 && chance < 0.3;
    stage.provider.serviceMs = serviceMsOfFaults;
    if (isDatabase) await crashDatabase();
    else if (isStopped) await stopFor(victim, between(random, stoppedSeconds.least, stoppedSeconds.most)).then(resumed);
    else {
      await stage.kill(victim);
      await stage.start();
    }
    stage.provider.serviceMs = serviceMs;
    const what = isDatabase ? 'the database was killed' : `${victim.name} was ${isStopped ? 'stopped' : 'killed'}`;
    log(`fault ${kill}: ${what}; ${stage.provider.finished} answers`);
  }
  return kills;
}

async function stopFor(gateway: GatewayProcess, seconds: number): Promise<void> {
  gateway.signal('SIGSTOP');
  await delay(seconds * 1000);
  gateway.signal('SIGCONT');
}

/** Waits for this many answers, or for the answers of lines that were taken over if no others are left. */
async function answersAfter({ provider }: ClusterStage, answers: number): Promise<void> {
  const from = provider.finished;
  for (let ms = 0; ms < 45_000 && provider.finished < from + answers; ms += 20) await delay(20);
}

async function ended(stage: ClusterStage, id: string): Promise<Batch> {
  const until = performance.now() + endTimeoutMs;
  for (;;) {
    const batch = await find(stage, id);
    if (batch?.status === 'completed') return batch;
    if (performance.now() > until) throw new Error(`the batch did not end: ${JSON.stringify(batch)}`);
    await delay(500);
  }
}

/** Undefined if no gateway can answer now. */
async function find(stage: ClusterStage, id: string): Promise<Batch | undefined> {
  const reply = await call(stage, `/v1/batches/${id}`).catch(() => undefined);
  return reply?.ok ? ((await reply.json().catch(() => undefined)) as Batch | undefined) : undefined;
}

async function linesOf(stage: ClusterStage, fileId: string | null): Promise<readonly OutputLine[]> {
  if (fileId === null) return [];
  const text = await (await call(stage, `/v1/files/${fileId}/content`)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as OutputLine);
}

function outcomeViolations(customIds: readonly string[], found: readonly OutputLine[]): readonly string[] {
  const times = Map.groupBy(found, ({ custom_id: id }) => id);
  const counts = customIds.map((id) => [id, times.get(id)?.length ?? 0] as const);
  const others = found.filter(
    ({ response, error }) => response?.status_code !== 200 && error?.code !== 'request_interrupted',
  );
  return [
    ...counts.filter(([, count]) => count !== 1).map(([id, count]) => `${id} is ${count} times in the files`),
    ...(found.length === customIds.length ? [] : [`the files have ${found.length} lines`]),
    ...others.map((line) => `unexpected outcome: ${JSON.stringify(line)}`),
  ];
}

function callViolations(
  { provider }: ClusterStage,
  customIds: readonly string[],
  { isShared, resumedMs }: { readonly isShared: boolean; readonly resumedMs: readonly number[] },
): readonly string[] {
  const isUnavoidable = (ms: number): boolean => resumedMs.some((fromMs) => ms >= fromMs && ms < fromMs + sendMs);
  const twice = customIds.filter((id) => !provider.overlapsOf(id).every(isUnavoidable));
  return [
    ...twice.map((id) => `${id} was at the provider ${provider.mostOf(id)} times at once`),
    ...(isShared && provider.most > limit ? [`${provider.most} calls at once, the limit is ${limit}`] : []),
  ];
}

async function moneyViolations({ store }: ClusterStage, found: readonly OutputLine[]): Promise<readonly string[]> {
  const charges = await store.db
    .selectFrom('transfers')
    .select(['reference', 'amount'])
    .where('kind', 'in', ['charge', 'charge-rest'])
    .execute();
  const all = [...Map.groupBy(charges, ({ reference }) => reference)];
  // The account gets back what it paid for attempts that run again.
  const charged = new Map(all.filter(([, each]) => each.reduce((sum, { amount }) => sum + BigInt(amount), 0n) !== 0n));
  const answered = found.flatMap(({ response }) => response?.request_id ?? []);
  const interrupted = found.length - answered.length;
  const { cost } = await store.db.selectFrom('batches').select('cost').executeTakeFirstOrThrow();
  const sum = charges.reduce((total, { amount }) => total - BigInt(amount), 0n);
  const unanswered = [...charged.keys()].filter((id) => !answered.includes(id)).length;
  const { checks } = await verifyLedger(store);
  return [
    ...answered.filter((id) => charged.get(id)?.length !== 1).map((id) => `${id} has not exactly one charge`),
    ...(unanswered === interrupted
      ? []
      : [`${unanswered} charges without an answer, ${interrupted} interrupted lines`]),
    ...(sum === BigInt(cost) ? [] : [`the ledger has ${sum}, the batch ${cost}`]),
    ...checks.flatMap(({ title, violations }) => violations.map((violation) => `${title}: ${violation}`)),
  ];
}
