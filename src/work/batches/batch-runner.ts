import { PeriodicTasks } from '../../core/time/periodic-tasks.ts';
import type { FileRow } from '../files/file-writer.ts';
import { BatchClaims, type UnfinishedBatch } from './batch-claims.ts';
import type { BatchRow, LineProblem } from './batch-rows.ts';
import type { Batches } from './batches.ts';
import { LineChecker } from './check-lines.ts';
import { LineClaims } from './line-claims.ts';
import { LineRunner, type LineRunnerParts } from './line-runner.ts';
import { type EarlyEnd, endEarly, removeInput } from './early-end.ts';
import { type EndedResponse, finishBatch, finishResponse } from './output-files.ts';
import { TakeOver } from './take-over.ts';

export interface RunnerParts extends LineRunnerParts {
  readonly newId: () => string;
  readonly batches: Batches;
  readonly settings: () => RunnerSettings;
  readonly keepMs: () => number;
  /** Stores a response that ran in the background. It may be called again with the same response. */
  readonly storeResponse: (ended: EndedResponse) => Promise<void>;
  /** Whether the key of a batch may use a model now. Undefined if the key is no longer valid. */
  readonly access: (batch: BatchRow) => Promise<((model: string) => boolean) | undefined>;
}

/** The load of batches, for metrics. */
export interface BatchFigures {
  /** Batches of the store that have not ended. */
  readonly unfinished: number;
  /** Lines of the store that no process has claimed. */
  readonly queued: number;
  /** Lines that wait or run in this process. */
  readonly running: number;
}

export interface RunnerSettings {
  readonly linesMax: number;
  /** Lines of all batches that this process runs at once. */
  readonly linesAtOnce: number;
  /** Whether a line runs again whose process ended during its answer. The operator pays for the lost part. */
  readonly repeatInterrupted: boolean;
}

const tickMs = 1000;
/** Checks and output files that a process works on at once: each has a chunk and the ids of its lines in memory. */
const choresMax = 4;
/** A file whose check fails this often, with back-off in about 14 minutes, fails its batch. No line of it has run. */
const checksMax = 10;
/** How often the queued lines of all batches are counted. */
const countMs = 15_000;

/** Runs batches: checks their lines, runs them on idle slots, and writes their files. One for each process. */
export class BatchRunner {
  readonly #parts: RunnerParts;
  readonly #claims: BatchClaims;
  readonly #takeOver: TakeOver;
  readonly #tasks: PeriodicTasks;
  readonly #lines: LineRunner;
  readonly #chores = new Map<string, Promise<void>>();
  #ticking: Promise<void> | undefined;
  #unfinished = 0;
  #queued = 0;
  #countedMs = Number.NEGATIVE_INFINITY;
  #isStopped = true;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#claims = new BatchClaims(parts.store);
    this.#takeOver = new TakeOver(parts);
    this.#tasks = new PeriodicTasks(parts.clock, parts.onError);
    const work = { claims: new LineClaims(parts), takeOver: this.#takeOver };
    this.#lines = new LineRunner(parts, work, (batch) => void this.#lastLineEnded(batch).catch(parts.onError));
  }

  /** Lines that wait or run in this process. */
  get running(): number {
    return this.#lines.running;
  }

  get figures(): BatchFigures {
    return { unfinished: this.#unfinished, queued: this.#queued, running: this.running };
  }

  start(): void {
    this.#isStopped = false;
    this.#lines.start();
    this.#parts.batches.onWork = () => void this.#lookAgain().catch(this.#parts.onError);
    this.#tasks.every(tickMs, () => this.tick());
    void this.tick().catch(this.#parts.onError);
  }

  /** Starts no further line. Lines that wait are queued again; the others end with the shutdown. */
  async retire(): Promise<void> {
    this.#isStopped = true;
    this.#tasks.stop();
    this.#parts.batches.onWork = () => {};
    this.#lines.retire();
    await this.#ticking?.catch(() => undefined);
  }

  /** Resolves when no line and no chore of this process is left. */
  async stop(): Promise<void> {
    if (!this.#isStopped) await this.retire();
    await this.#lines.stop();
    for (const chore of this.#chores.values()) await chore;
  }

  /** Looks at all unfinished batches. Concurrent calls share one look. */
  tick(): Promise<void> {
    this.#ticking ??= this.#look().finally(() => (this.#ticking = undefined));
    return this.#ticking;
  }

  /** Readers of a response wait for its end, also while this process stops. */
  async #lastLineEnded(batch: UnfinishedBatch): Promise<void> {
    if (!this.#isStopped) return this.#lookAgain();
    if (batch.kind === 'response') await this.#advance(batch, false);
  }

  /** There is new work, which a look that runs now may have missed. */
  async #lookAgain(): Promise<void> {
    await this.#ticking?.catch(() => undefined);
    await this.tick();
  }

  async #look(): Promise<void> {
    if (this.#isStopped) return;
    await this.#lines.renewProcess();
    if (!(await this.#claims.hasUnfinished())) return this.#countQueued(0);
    await this.#takeOver.takeOver();
    await this.#lines.resolveStrays();
    await this.#lines.markStarted();
    const responses = await this.#claims.unfinished('response');
    const batches = await this.#claims.unfinished('batch');
    await this.#releaseLost([...responses, ...batches]);
    await this.#countQueued(batches.length);
    for (const response of responses.filter(isDue)) await this.#advance(response, isLate(response));
    const unchecked = batches.filter((batch) => batch.in_progress_at === null);
    for (const batch of unchecked.filter(isLate)) await this.#endEarly(batch, { state: 'expired' });
    for (const batch of unchecked.filter((each) => isDue(each) && !isLate(each)))
      this.#chore(batch, (attempt) => this.#check(batch, attempt));
    const active = batches.filter((batch) => batch.in_progress_at !== null && isDue(batch));
    for (const batch of active) await this.#advance(batch, isLate(batch));
    const open = active.filter((batch) => batch.state === 'in_progress' && !isLate(batch));
    await this.#lines.openSeats(open, this.#parts.settings().linesAtOnce);
  }

  /** Batches of this process that it no longer works on: the store confirmed neither their begin nor their end. */
  async #releaseLost(batches: readonly BatchRow[]): Promise<void> {
    for (const { id, process_id: owner, attempts } of batches)
      if (owner === this.#lines.processId && !this.#chores.has(id))
        await this.#claims.releaseBatch(id, owner, attempts);
  }

  async #countQueued(unfinished: number): Promise<void> {
    this.#unfinished = unfinished;
    const nowMs = this.#parts.clock.elapsed();
    if (unfinished > 0 && nowMs - this.#countedMs < countMs) return;
    this.#countedMs = unfinished > 0 ? nowMs : Number.NEGATIVE_INFINITY;
    this.#queued = unfinished > 0 ? await this.#claims.queuedLines() : 0;
  }

  async #advance(batch: UnfinishedBatch, isLate: boolean): Promise<void> {
    const ending = batch.state === 'cancelling' ? 'cancelled' : isLate && 'expired';
    // Also the lines of ended processes, which were queued again after the cancellation.
    if (ending) await this.#claims.endQueued(batch.id, ending);
    if (ending) this.#lines.endLines(batch);
    if (!(await this.#claims.hasOpenLines(batch.id))) this.#chore(batch, () => this.#finish(batch));
    else if (batch.kind === 'response' && batch.state === 'in_progress' && !ending)
      await this.#lines.runResponse(batch);
  }

  #finish(batch: BatchRow): Promise<void> {
    if (batch.kind === 'batch') return finishBatch(this.#parts, batch, this.#lines.processId);
    return finishResponse(this.#parts, batch, this.#lines.processId);
  }

  /** Work on a batch as a whole. One process does it at a time. If it fails, a later look repeats it. */
  #chore(batch: BatchRow, work: (attempt: number) => Promise<void>): void {
    if (this.#chores.has(batch.id) || (this.#isStopped && batch.kind === 'batch')) return;
    if (batch.kind === 'batch' && this.#chores.size >= choresMax) return;
    const processId = this.#lines.processId;
    const run = async (): Promise<boolean> => {
      const attempt = await this.#claims.takeBatch(batch.id, processId);
      if (attempt === undefined) return false;
      try {
        await work(attempt);
        return true;
      } catch (error) {
        // A batch that ended meanwhile has lost its file.
        if (await this.#claims.releaseBatch(batch.id, processId, attempt).catch(() => true)) this.#parts.onError(error);
        return false;
      }
    };
    const chore = run()
      .finally(() => this.#chores.delete(batch.id))
      .then((isDone) => (isDone && !this.#isStopped ? this.#lookAgain() : undefined))
      .catch(this.#parts.onError);
    this.#chores.set(batch.id, chore);
  }

  async #endEarly(batch: BatchRow, end: EarlyEnd): Promise<void> {
    const { store, files } = this.#parts;
    if (await store.transaction((tx) => endEarly(tx, batch, end))) await removeInput(files, batch);
  }

  async #takeChunks(batch: BatchRow, processId: string, file: FileRow, checker: LineChecker): Promise<void> {
    for (let chunk = 0; chunk < file.chunks && !checker.isHopeless; chunk += 1) {
      const bytes = await this.#parts.files.chunk(file, chunk);
      const places = await checker.take(bytes, chunk === file.chunks - 1);
      if (checker.problems.length === 0 && !(await this.#claims.addLines(batch, processId, places))) return;
    }
  }

  async #check(batch: BatchRow, attempt: number): Promise<void> {
    const { files, settings, access } = this.#parts;
    const processId = this.#lines.processId;
    const fail = (problems: readonly LineProblem[]) => this.#endEarly(batch, { state: 'failed', problems, processId });
    if (attempt > checksMax) return fail([uncheckable]);
    const file = await files.inputOf(batch);
    const isOwn = file?.state === 'internal';
    const canUse = isOwn ? undefined : await access(batch);
    const linesMax = isOwn ? Number.POSITIVE_INFINITY : settings().linesMax;
    const checker = new LineChecker({ endpoint: batch.endpoint, linesMax, canUse });
    if (file) await this.#takeChunks(batch, processId, file, checker);
    const problems = file ? checker.finish() : [gone];
    if (problems.length > 0) return fail(problems);
    await this.#claims.begin(batch, processId, checker.requests);
  }
}

const gone = { code: 'invalid_input_file', message: 'The input file was deleted.', param: 'input_file_id', line: null };
const uncheckable = {
  code: 'check_failed',
  message: 'The gateway could not check the file. Upload it again and create another batch.',
  param: 'input_file_id',
  line: null,
};

/** Whether no process has it, and its back-off is over. */
function isDue({ process_id: processId, not_before: notBefore, now }: UnfinishedBatch): boolean {
  return processId === null && notBefore <= now;
}

function isLate({ expires_at: expiresAt, now }: UnfinishedBatch): boolean {
  return expiresAt <= now;
}
