import { epochMs, type Machine } from './machine.ts';
import type { ScenarioBatches } from './scenario.ts';
import type { SharedStore } from './shared-store.ts';
import type { World } from './world.ts';

interface BatchStateParts {
  readonly world: World;
  readonly store: SharedStore;
  readonly batches: ScenarioBatches | undefined;
  readonly machines: readonly Machine[];
  readonly broken: (rule: string) => void;
}

/**
 * Watches the rows of batches and files by the clock of the store: nothing of an unfinished batch is deleted or expires
 * early, quotas hold, a failed check or end waits before its next attempt and leaves no file, and ended batches stay for
 * their time.
 */
export class BatchStateWatch {
  readonly #parts: BatchStateParts;
  /** When each batch was first seen ended; undefined while it is not. */
  readonly #ended = new Map<string, number | undefined>();
  /** The last attempt of each batch to check its lines or write its files. */
  readonly #attempts = new Map<string, { readonly count: number; readonly atMs: number }>();

  constructor(parts: BatchStateParts) {
    this.#parts = parts;
  }

  check(): void {
    const { store, world, broken } = this.#parts;
    const now = store.now();
    for (const [rule, query] of rules) {
      const [row] = store.rows(query.replaceAll(':now', String(Math.ceil(now))));
      if (row) broken(`${String(row['name'])} ${rule}`);
    }
    this.#checkQuotas();
    const batches = store.rows('select id, state, ended_at, attempts, process_id, expires_at from batches');
    this.#checkKept(batches, now);
    const troubleMs = this.#lastTroubleMs();
    for (const batch of batches) {
      this.#checkBackOff(batch, troubleMs);
      const isLate = batch['state'] === 'validating' && Number(batch['expires_at']) < now - validatingMs;
      if (isLate && world.nowMs - troubleMs > recoveryMs) broken(`${String(batch['id'])} is validating after its time`);
    }
    for (const { name, created_at: at } of store.rows(abandonedOutputs)) {
      if (Number(at) - epochMs - world.offMs > troubleMs)
        broken(`${String(name)} has an output file that no process writes`);
    }
  }

  /** A process that died or stopped, and a store that failed, may leave files and repeat an attempt at once. */
  #lastTroubleMs(): number {
    const { machines, store } = this.#parts;
    return Math.max(store.lastFaultMs, ...machines.flatMap(({ diedMs = -1, lastFaultMs }) => [diedMs, lastFaultMs]));
  }

  #checkBackOff({ id, attempts }: Readonly<Record<string, unknown>>, troubleMs: number): void {
    const { world, broken } = this.#parts;
    const name = String(id);
    const last = this.#attempts.get(name);
    const count = Number(attempts);
    if (count === last?.count) return;
    this.#attempts.set(name, { count, atMs: world.nowMs });
    if (!last || last.count === 0 || count < last.count || last.atMs < troubleMs) return;
    const waitedMs = world.nowMs - last.atMs;
    if (waitedMs < Math.min(1000 * 2 ** (last.count - 1), 300_000) - clockMs)
      broken(`${name} is tried again ${Math.round(waitedMs)} ms after attempt ${last.count}`);
  }

  #checkKept(rows: readonly Readonly<Record<string, unknown>>[], now: number): void {
    const { batches, broken } = this.#parts;
    const there = new Set(rows.map(({ id }) => String(id)));
    for (const [id, endedAt] of this.#ended) {
      if (there.has(id)) continue;
      this.#ended.delete(id);
      const isDue = endedAt !== undefined && now - endedAt >= (batches?.keepMs ?? Number.POSITIVE_INFINITY) - clockMs;
      if (!isDue) broken(`the batch ${id} was deleted ${endedAt === undefined ? 'unfinished' : 'early'}`);
    }
    for (const { id, ended_at: at } of rows) {
      const name = String(id);
      if (this.#ended.get(name) === undefined) this.#ended.set(name, at === null ? undefined : now);
    }
  }

  #checkQuotas(): void {
    const { store, batches, broken } = this.#parts;
    if (!batches?.quota) return;
    const { accountBatchesMax, accountLinesMax, accountFilesMax } = batches.quota;
    for (const { account_id: id, batches: count, lines, files } of store.rows(usedQuotas)) {
      if (Number(count) > accountBatchesMax) broken(`${String(id)} has ${String(count)} unfinished batches`);
      if (Number(lines) > accountLinesMax) broken(`${String(id)} has ${String(lines)} unfinished lines`);
      if (Number(files) > accountFilesMax) broken(`${String(id)} has ${String(files)} files`);
    }
  }
}

/** What a clean-up after all retention times should have deleted. */
export function leftAfterCleanUp(store: SharedStore): readonly string[] {
  return store.rows(left).flatMap(({ what, rows }) => (rows === 0 ? [] : [`${String(rows)} ${String(what)} are left`]));
}

const left = `select 'batches' as what, count(*) as rows from batches
  union all select 'lines', count(*) from batch_lines
  union all select 'files', count(*) from files where origin = 'gateway' or expires_at is not null
  union all select 'chunks and answers', count(*) from sealed_blobs where not exists (
    select 1 from files where sealed_blobs.id = files.id || '/0')`;

/** The next look at all batches is after one second. */
const validatingMs = 3000;
/** Processes take this long to replace one that died. */
const recoveryMs = 60_000;
/** Two readings of a clock in whole milliseconds. */
const clockMs = 2;

/** No row may match; `name` is the batch. */
const rules: readonly (readonly [rule: string, query: string])[] = [
  [
    'has lost its input file',
    `select id as name from batches where ended_at is null and not exists (
      select 1 from files join sealed_blobs on kind = 'files' and sealed_blobs.id = files.id || '/0'
      where files.id = input_file_id and state = 'ready')`,
  ],
  [
    'has lost the answer of a line',
    `select batch_id as name from batch_lines where status is not null and not exists (
      select 1 from sealed_blobs where kind = 'batch_lines' and id = request_id)`,
  ],
  [
    'expired early',
    `select id as name from batches left join batch_lines on batch_id = id
      where expires_at > :now and (batches.state = 'expired' or batch_lines.state = 'expired')`,
  ],
  [
    'has a line that was claimed before the end of its wait',
    `select batch_id as name from batch_lines where state = 'running' and not_before > :now`,
  ],
];

const abandonedOutputs = `select batches.id as name, files.created_at from files
  join batches on batches.id = substr(filename, 7, instr(substr(filename, 7), '_') - 1)
  where files.origin = 'gateway' and files.state = 'uploading' and ended_at is null and process_id is null`;

const usedQuotas = `select account_id, count(*) as batches, sum(lines) as lines,
  (select count(*) from files where files.account_id = batches.account_id and origin = 'client' and state <> 'deleted') as files
  from batches where ended_at is null group by account_id`;
