import { createSecretKey } from 'node:crypto';
import type { LineAttempt } from '../../src/work/batches/line-attempt.ts';
import { secretVault } from '../../src/platform/secrets/secret-vault.ts';
import { Files } from '../../src/work/files/files.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { transactions } from '../../src/platform/store/transactions.ts';
import { epochMs, type Machine } from './machine.ts';
import type { Providers } from './provider.ts';
import { BatchStateWatch } from './batch-state-watch.ts';
import type { ScenarioBatches } from './scenario.ts';
import type { SeenCall } from './seen-call.ts';
import type { SharedStore } from './shared-store.ts';
import type { World } from './world.ts';

interface BatchWatchParts {
  readonly store: SharedStore;
  readonly providers: Pick<Providers, 'calls'>;
  readonly machines: readonly Machine[];
  readonly broken: (rule: string) => void;
  readonly world: World;
  readonly batches: ScenarioBatches | undefined;
}

export const batchVault = secretVault(createSecretKey(Buffer.alloc(32, 7)));
export const fileLimits = () => ({ fileBytesMax: 1e9, accountBytesMax: 1e9, accountFilesMax: 1e6, lineBytesMax: 1e6 });

/** One attempt at a line, and the process that made it. */
interface SeenAttempt {
  readonly batchId: string;
  readonly accountId: string;
  readonly line: number;
  readonly requestId: string;
  readonly machine: Machine;
}

/** A line of an output or error file. */
interface OutputLine {
  readonly custom_id: string;
  readonly response: { readonly status_code: number; readonly request_id: string } | null;
  readonly error: { readonly code: string } | null;
}

/**
 * Watches the lines of all batches: none runs again after its outcome was stored, an outcome and its charge are one
 * commit, and every line of every batch is in its files once, at the price of one answer.
 */
export class BatchWatch {
  readonly #parts: BatchWatchParts;
  readonly #states: BatchStateWatch;
  readonly #attempts = new Map<string, SeenAttempt>();
  /** Clients whose batches are being created, with their gateways. */
  readonly #creating = new Map<string, Machine>();
  /** The calls for lines. */
  readonly calls: { readonly atMs: number; readonly accountId: string }[] = [];
  #checkedCommits = -1;

  constructor(parts: BatchWatchParts) {
    this.#parts = parts;
    this.#states = new BatchStateWatch(parts);
  }

  note(rule: string): void {
    this.#parts.broken(rule);
  }

  async whileCreating<Result>(planId: string, machine: Machine, creation: Promise<Result>): Promise<Result> {
    this.#creating.set(planId, machine);
    return creation.finally(() => this.#creating.delete(planId));
  }

  runs({ batch, line, requestId }: LineAttempt, machine: Machine): void {
    this.#attempts.set(requestId, { batchId: batch.id, accountId: batch.account_id, line, requestId, machine });
  }

  /** Called when a provider receives a call. */
  begins(call: SeenCall): void {
    const attempt = this.#attempts.get(call.requestId);
    if (!attempt) return;
    this.calls.push({ atMs: call.atMs, accountId: attempt.accountId });
    const { store, providers, broken } = this.#parts;
    const name = nameOf(attempt);
    const [row] = store.rows(stateOf, attempt.batchId, attempt.line);
    const lateMs = store.now() - Number(row?.['expires_at']);
    if (!isResuming(attempt.machine, call.atMs) && lateMs > graceMs)
      broken(`${name} was sent to a provider ${Math.round(lateMs)} ms after the time of its batch`);
    if (!isResuming(attempt.machine, call.atMs) && row?.['state'] !== 'running' && row?.['state'] !== 'queued')
      broken(`${name} was sent to a provider although it is ${String(row?.['state'] ?? 'gone')}`);
    const other = providers.calls.find((each) => {
      const by = this.#attempts.get(each.requestId);
      const isOther = by && each.requestId !== call.requestId && nameOf(by) === name && each.outcome === 'running';
      return isOther && by.machine.state === 'running' && by.machine.frozenMs.until < each.atMs;
    });
    if (other && !isResuming(attempt.machine, call.atMs))
      broken(`${name} runs at ${call.gateway} and at ${other.gateway}`);
  }

  /** Called after every step. */
  check(): void {
    const { store, broken, batches } = this.#parts;
    if (!batches || store.commits === this.#checkedCommits) return;
    this.#checkedCommits = store.commits;
    this.#states.check();
    if (this.#attempts.size === 0) return;
    for (const { line, state, cost, charged } of store.rows(unequalCharges))
      broken(`line ${String(line)} is ${String(state)} with a cost of ${String(cost)}, but ${String(charged)} charged`);
  }

  /** Whether every batch has ended. */
  get isOver(): boolean {
    return this.#parts.store.rows('select id from batches where ended_at is null').length === 0;
  }

  async atEnd(): Promise<readonly string[]> {
    const lost = [...this.#creating].filter(([, { state }]) => state !== 'dead');
    const rules = lost.map(([planId]) => `the batch of ${planId} was never created`);
    for (const batch of this.#parts.store.rows('select * from batches')) {
      const name = `the batch ${String(batch['id'])}`;
      // Cancelled or late before its lines were checked: no line ran, and it has no files.
      if (batch['in_progress_at'] === null && batch['ended_at'] !== null && batch['state'] !== 'failed') continue;
      const isFailed = batch['state'] === 'failed';
      if (isFailed && Number(batch['attempts']) <= checksMax) rules.push(`${name} failed before its last check`);
      else if (isFailed) continue;
      if (batch['ended_at'] === null) rules.push(`${name} never ended: it is ${String(batch['state'])}`);
      else rules.push(...(await this.#checkEnded(batch)).map((rule) => `${name}: ${rule}`));
    }
    return rules;
  }

  async #checkEnded(batch: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
    const lines = [...(await this.#linesOf(batch, 'output_file_id')), ...(await this.#linesOf(batch, 'error_file_id'))];
    const rules: string[] = [];
    const input = await this.#linesOf(batch, 'input_file_id');
    for (const { custom_id: id } of input) {
      const count = lines.filter(({ custom_id: found }) => found === id).length;
      if (count !== 1) rules.push(`${id} is ${count} times in its files`);
    }
    const own = [...this.#attempts.values()].filter(({ batchId }) => batchId === batch['id']);
    const paid = new Map(own.map(({ requestId }) => [requestId, this.#paidFor(requestId)]));
    const sum = [...paid.values()].reduce((total, cost) => total + cost, 0);
    if (sum !== Number(batch['cost'])) rules.push(`its cost is ${String(batch['cost'])}, its charges are ${sum}`);
    for (const { custom_id: id, response, error } of lines) {
      if (response?.status_code === 200) rules.push(...this.#checkAnswer(id, response.request_id, paid));
      else if (response && !mayFail.has(response.status_code)) rules.push(`${id} ended with ${response.status_code}`);
      if (error && !unanswered.has(error.code)) rules.push(`${id} ended as ${error.code}`);
      // A line that is aborted by a cancellation costs what its provider had done.
      const isFree = error && error.code !== 'batch_cancelled';
      const costs = own.filter(({ line }) => isFree && line === lineOf(id)).map((each) => paid.get(each.requestId));
      if (costs.some((cost) => cost !== 0)) rules.push(`${id} has no answer, but cost ${costs.join(' and ')}`);
    }
    return rules;
  }

  /** The account pays for the answer that it gets, as its provider reported it, and for no other of the line. */
  #checkAnswer(id: string, requestId: string, paid: ReadonlyMap<string, number>): readonly string[] {
    const call = this.#parts.providers.calls.findLast((each) => each.requestId === requestId);
    const attempt = this.#attempts.get(requestId);
    if (call?.outcome !== 'complete' || !attempt) return [`${id} has an answer that no provider completed`];
    const others = [...this.#attempts.values()].filter(
      (each) => nameOf(each) === nameOf(attempt) && each.requestId !== requestId,
    );
    const rules = others
      .filter((each) => paid.get(each.requestId) !== 0)
      .map((each) => `${id} was charged for its answer and ${paid.get(each.requestId)} for the attempt before`);
    const cost = paid.get(requestId);
    return cost === call.reportedTokens ? rules : [...rules, `${id} cost ${cost} instead of ${call.reportedTokens}`];
  }

  #paidFor(requestId: string): number {
    return Number(this.#parts.store.rows(paidFor, requestId)[0]?.['paid'] ?? 0);
  }

  async #linesOf(batch: Readonly<Record<string, unknown>>, column: string): Promise<readonly OutputLine[]> {
    const { direct } = this.#parts.store;
    const store = { db: direct, transaction: transactions(direct) } as unknown as Store;
    const clock = { now: () => epochMs, elapsed: () => 0, after: () => ({ unref() {} }), cancel: () => {} };
    const files = new Files({ store, vault: batchVault, clock, newId: () => '', limits: fileLimits });
    const file = await files.find(String(batch['account_id']), String(batch[column]));
    let text = '';
    if (file) for await (const piece of files.content(file)) text += piece.toString('utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as OutputLine);
  }
}

/** The errors that lines may end with: providers fail, and balances end. */
const mayFail: ReadonlySet<number> = new Set([402, 502, 504]);
const unanswered: ReadonlySet<string> = new Set(['batch_cancelled', 'batch_expired']);

/** A batch whose check fails more often ends. Its input is corrupt: no other file of a world has problems. */
const checksMax = 10;

/** A line may get its slot just before the time of its batch ends. */
const graceMs = 200;

/** Clients name their lines from 0. */
function lineOf(customId: string): number {
  return Number(customId.slice(1)) + 1;
}

function nameOf({ batchId, line }: SeenAttempt): string {
  return `line ${line} of ${batchId}`;
}

/** What a process had decided to send when it was stopped, it sends when it goes on. */
function isResuming({ frozenMs }: Machine, nowMs: number): boolean {
  return nowMs - frozenMs.until < resumeMs;
}

const resumeMs = 200;

const stateOf = `select batch_lines.state, expires_at from batch_lines join batches on id = batch_id
  where batch_id = ? and line = ?`;
const charged = `(select coalesce(-sum(amount), 0) from transfers
  where reference = batch_lines.request_id and kind in ('charge', 'charge-rest'))`;
const unequalCharges = `select line, state, cost, ${charged} as charged from batch_lines
  where state = 'succeeded' and coalesce(cost, 0) <> ${charged}`;
const paidFor = `select -sum(amount) as paid from transfers where reference = ? and kind in ('charge', 'charge-rest')`;
