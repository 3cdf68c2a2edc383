import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from 'chat-formats/assert.ts';
import { type Job, receivedTask, type SentTask, type Task, together } from '../job.ts';
import { connectSqlite } from './sqlite-database.ts';
import { runOnSqlite } from './sqlite-jobs.ts';
import { type ThreadOrder, type ThreadReply, sentError, type ThreadData } from '../thread/thread-orders.ts';

/** On a single core, streams run before commits, which still get a quarter of the processor. */
const niceness = 5;
/** SQLite's own wait for another process may block this thread: nothing else runs in it. */
const busyWaitMs = 5000;

lowerPriority();
let now = 0;
const { file, modules } = workerData as ThreadData;
const database = connectSqlite(file, { now: () => now, busyWaitMs });
/** Exports of the loaded modules, by module URL. The number of modules is fixed in the code. */
const loaded = new Map<string, Record<string, Job<unknown, unknown>>>();
for (const module of modules) await load(module);

parentPort?.on('message', (order: ThreadOrder) => void handle(order));
// Memory used only at the start is twice what the thread needs later, and would stay allocated until there is load.
globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
reply({ value: 'ready' });

async function handle(order: ThreadOrder): Promise<void> {
  now = order.now;
  try {
    reply({ value: await execute(order) });
  } catch (error) {
    reply({ error: sentError(error) });
  }
}

async function execute(order: ThreadOrder): Promise<unknown> {
  if (order.kind === 'query') return database.query(order.sql, order.parameters);
  if (order.kind === 'run') return runOnSqlite(database, together(await Promise.all(order.tasks.map(receiveTask))));
  database.close();
  return parentPort?.unref();
}

async function receiveTask({ module, name, input }: SentTask): Promise<Task> {
  const job = (loaded.get(module) ?? (await load(module)))[name];
  assert(job !== undefined, `the job ${name} is exported by its module`);
  return receivedTask(job, input);
}

async function load(module: string): Promise<Record<string, Job<unknown, unknown>>> {
  const exported = (await import(module)) as Record<string, Job<unknown, unknown>>;
  loaded.set(module, exported);
  return exported;
}

function reply(message: ThreadReply): void {
  parentPort?.postMessage(message);
}

/** On Linux, id 0 means the calling thread, and threads have their own priorities. */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, Math.min(19, getPriority(0) + niceness));
  } catch {
    // If that is forbidden, the thread keeps its priority.
  }
}
