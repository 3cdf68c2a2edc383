import type { Transaction } from 'kysely';
import { chargedSoFar } from '../../money/billing/settle.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import type { EventKind } from '../../core/outbox-event.ts';
import { decimalText } from '../../core/money.ts';
import type { FileWriter } from '../files/file-writer.ts';
import type { Files } from '../files/files.ts';
import { recordEvent } from '../../platform/outbox/record-event.ts';
import type { Database } from '../../platform/store/database.ts';
import { databaseNow, readDatabaseTime } from '../../platform/store/engine.ts';
import { runWithin } from '../../platform/store/run-tasks.ts';
import type { Store } from '../../platform/store/store.ts';
import { type BatchRow, type BatchSums, type LineRow, sumsOf } from './batch-rows.ts';
import { removeInput } from './early-end.ts';
import { lineBodies } from './line-bodies.ts';

export interface OutputParts {
  readonly store: Store;
  readonly vault: SecretVault;
  readonly files: Files;
  readonly keepMs: () => number;
  /** Counts lines by outcome. */
  readonly count: (outcome: LineRow['state'], lines: number) => void;
}

/** Lines of one read: their bodies are in memory together. */
const linesAtOnce = 16;
/** Bodies of one deletion. */
const bodiesAtOnce = 100;

/** The errors of lines that have no answer. */
const unanswered = {
  cancelled: ['batch_cancelled', 'The batch was cancelled before this request had an answer.'],
  expired: ['batch_expired', 'The time of the batch ended before this request ran.'],
  interrupted: [
    'request_interrupted',
    'The gateway process that ran this request ended during the answer. The part until then was charged. The answer is lost, and the request was not repeated.',
  ],
} as const;

/** Writes the files of a batch that has no open lines, and ends it. Another process begins again if this one ends. */
export async function finishBatch(parts: OutputParts, batch: BatchRow, processId: string): Promise<void> {
  const { store, files } = parts;
  const own = store.db.updateTable('batches').where('id', '=', batch.id).where('process_id', '=', processId);
  await own.set({ finalizing_at: databaseNow(store.db) }).execute();
  if (batch.state === 'in_progress') await own.set({ state: 'finalizing' }).execute();
  const output = new OutputFile(parts, batch, 'output');
  const errors = new OutputFile(parts, batch, 'error');
  try {
    const { requests, withoutAnswer } = await writeLines(parts, batch, { output, errors });
    const ids = { output_file_id: await output.complete(), error_file_id: await errors.complete() };
    if (!(await end(parts, batch, { processId, ids }))) return;
    for (const state of withoutAnswer) parts.count(state, 1);
    for (let from = 0; from < requests.length; from += bodiesAtOnce) {
      await store.transaction((tx) => lineBodies.delete(tx, requests.slice(from, from + bodiesAtOnce)));
    }
    await removeInput(files, batch);
  } finally {
    // The files of an ended batch stay.
    for (const file of [output, errors]) await file.discard().catch(() => undefined);
  }
}

/** The requests whose answers are in the files, and the states of the other lines. */
async function writeLines(
  parts: OutputParts,
  batch: BatchRow,
  { output, errors }: { readonly output: OutputFile; readonly errors: OutputFile },
) {
  const requests: string[] = [];
  const withoutAnswer: LineRow['state'][] = [];
  for (let after = 0; ; ) {
    const lines = await linesAfter(parts.store, batch, after);
    const bodies = await bodiesOf(parts, batch, lines);
    for (const line of lines) {
      const body = line.request_id === null ? undefined : bodies.get(line.request_id);
      if (body !== undefined) requests.push(line.request_id ?? '');
      else withoutAnswer.push(line.state);
      await (line.state === 'succeeded' ? output : errors).add(encodeLine(batch, line, body));
    }
    const last = lines.at(-1);
    if (!last) return { requests, withoutAnswer };
    after = last.line;
  }
}

/** A response in the background that has ended. */
export interface EndedResponse {
  readonly batch: BatchRow;
  readonly line: LineRow;
  /** What its attempt kept: undefined without an attempt that ended. */
  readonly body: string | undefined;
}

/** Stores a response in the background, and ends it. Another process begins again if this one ends. */
export async function finishResponse(
  parts: OutputParts & { readonly storeResponse: (ended: EndedResponse) => Promise<void> },
  batch: BatchRow,
  processId: string,
): Promise<void> {
  const { db } = parts.store;
  const own = db.updateTable('batches').where('id', '=', batch.id).where('process_id', '=', processId);
  // From now on it cannot be cancelled, so what is stored stays true.
  await own.where('state', '=', 'in_progress').set({ state: 'finalizing' }).execute();
  const now = await db.selectFrom('batches').selectAll().where('id', '=', batch.id).executeTakeFirst();
  const [line] = await linesAfter(parts.store, batch, 0);
  if (!now || !line) return;
  const bodies = await bodiesOf(parts, batch, [line]);
  await parts.storeResponse({ batch: now, line, body: bodies.get(line.request_id ?? '') });
  if (!(await end(parts, now, { processId, ids: noFiles }))) return;
  if (line.request_id !== null) await parts.store.transaction((tx) => lineBodies.delete(tx, [line.request_id ?? '']));
  await removeInput(parts.files, batch);
}

const noFiles = { output_file_id: null, error_file_id: null };

/** The sums, the files, the event and the end are one commit. Returns false if another process has the batch. */
async function end(
  { store }: OutputParts,
  batch: BatchRow,
  { processId, ids }: { readonly processId: string; readonly ids: Pick<BatchRow, 'output_file_id' | 'error_file_id'> },
): Promise<boolean> {
  return store.transaction(async (tx) => {
    const now = await readDatabaseTime(tx);
    await addChargesOfFailures(tx, batch);
    const sums = await sumsOf(tx, batch);
    const state = endStateOf(batch, sums);
    const { lines, succeeded, failed, cancelled, expired, cost } = sums;
    const tokens = {
      input_tokens: sums.inputTokens,
      cached_tokens: sums.cachedTokens,
      output_tokens: sums.outputTokens,
      reasoning_tokens: sums.reasoningTokens,
    };
    const ended = await tx
      .updateTable('batches')
      .set({
        state,
        ended_at: now,
        process_id: null,
        // The stored response has it.
        ...(batch.kind === 'response' && { metadata: null }),
        ...ids,
        lines,
        succeeded,
        failed,
        cancelled,
        expired,
        ...tokens,
        cost,
      })
      .where('id', '=', batch.id)
      .where('process_id', '=', processId)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    if (ended.numUpdatedRows === 0n) return false;
    await tx.deleteFrom('batch_lines').where('batch_id', '=', batch.id).execute();
    for (const id of Object.values(ids)) {
      if (id === null) continue;
      const written = tx.updateTable('files').set({ state: 'ready' }).where('id', '=', id);
      const { numUpdatedRows: files } = await written.where('state', '=', 'uploading').executeTakeFirst();
      if (files === 0n) throw new Error(`the file ${id} of batch ${batch.id} was discarded`);
    }
    if (batch.kind === 'response') return true;
    const counts = { requests: lines, succeeded, failed, cancelled, expired, cost: decimalText(cost) };
    const data = { batch: `batch_${batch.id}`, endpoint: batch.endpoint, ...counts };
    const kind: EventKind = `batch.${state}`;
    await recordEvent(tx, { kind, accountId: batch.account_id, at: now, data });
    return true;
  });
}

/**
 * A failed line may be charged for discarded answers, and a cancelled one for its prompt. For an interrupted one, a
 * process that was taken for dead may have refunded what recovery charged.
 */
async function addChargesOfFailures(tx: Transaction<Database>, { id }: BatchRow): Promise<void> {
  const states = ['interrupted', 'failed', 'cancelled'] as const;
  const lines = tx.selectFrom('batch_lines').where('batch_id', '=', id).where('state', 'in', states);
  const rows = await lines.select(['line', 'request_id', 'cost']).where('request_id', 'is not', null).execute();
  const requests = rows.flatMap(({ request_id: request }) => request ?? []);
  const charged = requests.length > 0 ? await runWithin(tx, chargedSoFar, requests) : undefined;
  for (const { line, request_id: request, cost: before } of rows) {
    const cost = charged?.get(request ?? '') ?? 0n;
    const own = tx.updateTable('batch_lines').where('batch_id', '=', id).where('line', '=', line);
    if (cost !== BigInt(before ?? 0)) await own.set({ cost }).execute();
  }
}

function endStateOf({ kind, cancelling_at: cancellingAt }: BatchRow, { failed, expired }: BatchSums) {
  if (cancellingAt !== null) return 'cancelled';
  if (expired > 0) return 'expired';
  return kind === 'response' && failed > 0 ? 'failed' : 'completed';
}

async function linesAfter({ db }: Store, { id }: BatchRow, line: number): Promise<readonly LineRow[]> {
  const all = db.selectFrom('batch_lines').selectAll().where('batch_id', '=', id).where('line', '>', line);
  return all.orderBy('line').limit(linesAtOnce).execute();
}

async function bodiesOf(
  { store, vault }: OutputParts,
  { account_id: accountId }: BatchRow,
  lines: readonly LineRow[],
): Promise<ReadonlyMap<string, string>> {
  const ids = lines.flatMap(({ request_id: id, status }) => (id === null || status === null ? [] : [id]));
  const rows = await lineBodies.find(store, { ids, accountId });
  return new Map(
    rows.map((row) => {
      const opened = lineBodies.open(vault, row);
      if (!opened.ok) throw new Error(`the body of request ${row.id} cannot be decrypted: it is ${opened.reason}`);
      return [row.id, opened.secret];
    }),
  );
}

/** The body is JSON text, and stays as it is. */
function encodeLine({ id }: BatchRow, line: LineRow, body: string | undefined): string {
  const name = `"id":"batch_req_${id}_${line.line}","custom_id":${JSON.stringify(line.custom_id)}`;
  if (body !== undefined) {
    const response = `{"status_code":${line.status},"request_id":"${line.request_id}","body":${body}}`;
    return `{${name},"response":${response},"error":null}\n`;
  }
  const state = line.state === 'cancelled' || line.state === 'expired' ? line.state : 'interrupted';
  const [code, message] = unanswered[state];
  return `{${name},"response":null,"error":${JSON.stringify({ code, message })}}\n`;
}

/** A file that exists only if it has lines. */
class OutputFile {
  readonly #parts: OutputParts;
  readonly #batch: BatchRow;
  readonly #name: string;
  #writer: FileWriter | undefined;

  constructor(parts: OutputParts, batch: BatchRow, name: string) {
    this.#parts = parts;
    this.#batch = batch;
    this.#name = name;
  }

  async add(line: string): Promise<void> {
    this.#writer ??= await this.#open();
    await this.#writer.add(Buffer.from(line));
  }

  /** The file is visible once its batch has ended. */
  async complete(): Promise<string | null> {
    if (!this.#writer) return null;
    const { id } = await this.#writer.end({ state: 'uploading' });
    return id;
  }

  async discard(): Promise<void> {
    await this.#writer?.discard();
  }

  #open(): Promise<FileWriter> {
    const { files, keepMs } = this.#parts;
    const { id, account_id: accountId, key_id: keyId, output_seconds: seconds } = this.#batch;
    return files.create({
      accountId,
      keyId,
      purpose: 'batch_output',
      filename: `batch_${id}_${this.#name}.jsonl`,
      keepMs: seconds === null ? keepMs() : seconds * 1000,
      origin: 'gateway',
    });
  }
}
