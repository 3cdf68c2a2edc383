import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { LineOutcome } from '../../core/line-outcome.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Files } from '../files/files.ts';
import { whileUnreachable } from '../../platform/store/postgres/unreachable.ts';
import type { Store } from '../../platform/store/store.ts';
import type { UnfinishedBatch } from './batch-claims.ts';
import type { BatchRow, LineRow } from './batch-rows.ts';
import { BatchCancelled, type LineAttempt, type LineReply } from './line-attempt.ts';
import { lineBodies } from './line-bodies.ts';
import { LineInput } from './line-input.ts';
import type { ClaimedLine, LineClaims } from './line-claims.ts';
import { storingLineOutcome } from '../../platform/outbox/line-outcome.ts';
import { type Seat, Seats } from './seats.ts';
import { storingLineBodies } from './storing-job.ts';
import type { TakeOver } from './take-over.ts';

export interface LineRunnerParts {
  readonly store: Store;
  readonly vault: SecretVault;
  readonly clock: Clock;
  readonly files: Files;
  /** The id under which this process sends heartbeats. It may change. */
  readonly processId: () => string;
  /** Whether no other process can have reaped this one since its last heartbeat. */
  readonly isSurelyAlive: () => boolean;
  /** Whether a running request of this process holds money of the account. */
  readonly holdsMoney: (accountId: string) => boolean;
  readonly run: (attempt: LineAttempt) => Promise<LineReply>;
  readonly onError: (error: unknown) => void;
  /** Counts lines by outcome. */
  readonly count: (outcome: LineRow['state'], lines: number) => void;
}

/** A line that found no capacity waits this long. */
const repeatMs = 5000;
/** Attempts of a line that fail. */
const attemptsMax = 3;
/** How long a complete answer waits for a store that is away, before it is lost and its line runs again. */
const storeMs = 30_000;
/** A charge that is not confirmed after this long is looked up. */
const unsettledMs = 60_000;
/** A line without a slot keeps its seat for this long while an account has none. */
const turnMs = 30_000;
/** How often a line of an account tries again whose money other requests hold. */
const shortMs = 5000;

interface LineWork {
  readonly claims: LineClaims;
  readonly takeOver: TakeOver;
}

interface RunningLine {
  readonly abort: AbortController;
  readonly batch: UnfinishedBatch;
  /** Since when it waits for a slot. */
  waitingSinceMs: number | undefined;
  isMarkedStarted: boolean;
}

/** Another process may run the line. So the account does not pay for this attempt, as after a shutdown. */
function lost(): GatewayError {
  return new GatewayError('shutting-down', { cause: new Error('another process may run the line') });
}

/** Runs the lines of batches on the seats of this process: claims them, runs their requests and stores their outcomes. */
export class LineRunner {
  readonly #parts: LineRunnerParts;
  readonly #claims: LineClaims;
  readonly #takeOver: TakeOver;
  readonly #input: LineInput;
  /** Called when the last line of the batch that this process could claim has ended. */
  readonly #onIdle: (batch: UnfinishedBatch) => void;
  /** By request. */
  readonly #running = new Map<string, RunningLine>();
  readonly #seats = new Seats();
  #dealing: Promise<void> | undefined;
  #shortTriedMs = Number.NEGATIVE_INFINITY;
  /** When a line of this process without a running request was first seen, by request. */
  #strays = new Map<string, number>();
  readonly #lines = new Set<Promise<void>>();
  #processId: string;
  #isStopped = true;

  constructor(parts: LineRunnerParts, work: LineWork, onIdle: (batch: UnfinishedBatch) => void) {
    this.#parts = parts;
    this.#claims = work.claims;
    this.#takeOver = work.takeOver;
    this.#input = new LineInput(parts.files);
    this.#onIdle = onIdle;
    this.#processId = parts.processId();
  }

  /** Lines that wait or run in this process. */
  get running(): number {
    return this.#running.size;
  }

  /** The id under which this process claims lines and batches. */
  get processId(): string {
    return this.#processId;
  }

  start(): void {
    this.#isStopped = false;
  }

  /** Starts no further line. Lines that wait stop waiting, so that they are queued again; the others end. */
  retire(): void {
    this.#isStopped = true;
    for (const { abort, waitingSinceMs } of this.#running.values()) if (waitingSinceMs !== undefined) abort.abort();
  }

  /** Resolves when no line is left. */
  async stop(): Promise<void> {
    await this.#dealing;
    for (const line of this.#lines) await line;
  }

  /** Gives the free seats to these batches in turn. A response in the background has a seat of its own. */
  async openSeats(batches: readonly UnfinishedBatch[], linesAtOnce: number): Promise<void> {
    this.#seats.open(batches, await this.#claims.runningElsewhere(this.#processId), linesAtOnce);
    const nowMs = this.#parts.clock.elapsed();
    if (nowMs - this.#shortTriedMs >= shortMs) {
      this.#shortTriedMs = nowMs;
      this.#seats.retryShort();
    }
    await this.#deal();
    this.#giveTurns();
  }

  /** Its process id changes if this process was reaped by mistake. It gives up lines that others took over meanwhile. */
  async renewProcess(): Promise<void> {
    const processId = this.#parts.processId();
    if (processId === this.#processId) return;
    const kept = await this.#takeOver.renew(this.#processId, processId, [...this.#running.keys()]);
    this.#processId = processId;
    for (const [requestId, { abort }] of this.#running) if (!kept.has(requestId)) abort.abort(lost());
  }

  /** Lines of this process whose request has ended, but whose outcome was not confirmed. */
  async resolveStrays(): Promise<void> {
    const { clock } = this.#parts;
    const strays = (await this.#claims.runningOf(this.#processId)).filter((id) => !this.#running.has(id));
    const since = new Map(strays.map((id) => [id, this.#strays.get(id) ?? clock.elapsed()]));
    this.#strays = since;
    await this.#takeOver.resolve(strays.filter((id) => clock.elapsed() - (since.get(id) ?? 0) >= unsettledMs));
  }

  /** A response in the background is queued until a provider works on it. */
  async markStarted(): Promise<void> {
    const started = [...this.#running].filter(
      ([, { batch, waitingSinceMs, isMarkedStarted }]) =>
        batch.kind === 'response' && waitingSinceMs === undefined && !isMarkedStarted,
    );
    for (const [, line] of started) line.isMarkedStarted = true;
    await this.#claims.markStarted(started.map(([requestId]) => requestId));
  }

  /** Lines of an ending batch that have no slot yet do not run. Those of a cancelled batch end also if they run. */
  endLines(batch: UnfinishedBatch): void {
    const isCancelled = batch.state === 'cancelling';
    for (const { batch: of, abort, waitingSinceMs } of this.#running.values()) {
      if (of.id !== batch.id) continue;
      if (isCancelled) abort.abort(new BatchCancelled('the batch was cancelled'));
      else if (waitingSinceMs !== undefined) abort.abort();
    }
  }

  /** Runs a response in the background, unless this process does already. */
  async runResponse(batch: UnfinishedBatch): Promise<void> {
    if (this.#isStopped || [...this.#running.values()].some((line) => line.batch.id === batch.id)) return;
    const [line] = await this.#claim(batch, 1);
    if (line) this.#begin(batch, line, { index: 0, of: 1 });
  }

  /** Fills the free seats. A line that ends meanwhile frees another one. */
  #deal(): Promise<void> {
    this.#dealing ??= this.#fillSeats().finally(() => (this.#dealing = undefined));
    return this.#dealing;
  }

  async #fillSeats(): Promise<void> {
    while (!this.#isStopped && this.#ownsLines) {
      const taken: NonNullable<ReturnType<Seats['take']>>[] = [];
      for (let next = this.#seats.take(); next; next = this.#seats.take()) taken.push(next);
      if (taken.length === 0) return;
      for (const own of Map.groupBy(taken, ({ batch }) => batch.id).values()) {
        const [first] = own;
        if (!first) continue;
        // A failure ends this round; the next look fills the seats.
        const lines = await this.#claim(first.batch, own.length).catch((error: unknown) => {
          this.#parts.onError(error);
          return [];
        });
        if (lines.length < own.length) this.#seats.exhaust(first.batch.id);
        for (const [at, { batch, seat, of }] of own.entries()) {
          const line = lines[at];
          if (line) this.#begin(batch, line, { index: seat.index, of }, seat);
          else this.#seats.release(seat);
        }
      }
    }
  }

  #begin(batch: UnfinishedBatch, line: ClaimedLine, of: LineAttempt['seat'], seat?: Seat): void {
    // The batch may have been read a second before, and the line must know how much of its time is left.
    const running = this.#runLine({ ...batch, now: line.now }, line, of)
      .catch(this.#parts.onError)
      .finally(() => {
        this.#lines.delete(running);
        if (seat) this.#seats.release(seat);
        if (seat && !this.#isStopped) void this.#deal();
        const isLast = !seat || this.#seats.isExhausted(batch.id);
        if (isLast && ![...this.#running.values()].some((other) => other.batch.id === batch.id)) this.#onIdle(batch);
      });
    this.#lines.add(running);
  }

  /** Lines without a slot give their seats to accounts that have none. */
  #giveTurns(): void {
    if (this.#seats.free > 0) return;
    const nowMs = this.#parts.clock.elapsed();
    const seatsOf = ({ batch }: RunningLine): number => this.#seats.seatsOf(batch.account_id);
    const waitedMs = ({ waitingSinceMs }: RunningLine): number => nowMs - (waitingSinceMs ?? nowMs);
    const waiting = [...this.#running.values()].filter(
      (line) => line.batch.kind === 'batch' && line.waitingSinceMs !== undefined && !line.abort.signal.aborted,
    );
    const giving = waiting.filter((line) => seatsOf(line) > 1 || waitedMs(line) >= turnMs);
    giving.sort((one, other) => seatsOf(other) - seatsOf(one) || waitedMs(other) - waitedMs(one));
    for (const { abort } of giving.slice(0, this.#seats.unseated)) abort.abort();
  }

  /** A process that was silent for too long calls no provider: others may have its lines. */
  get #ownsLines(): boolean {
    return this.#parts.isSurelyAlive() && this.#parts.processId() === this.#processId;
  }

  async #claim(batch: BatchRow, most: number): Promise<readonly ClaimedLine[]> {
    const processId = this.#processId;
    const lines = await this.#claims.claim(batch, processId, most);
    // Lines of an old id are taken over.
    if (processId !== this.#processId) return [];
    if (!this.#isStopped && this.#ownsLines) return lines;
    for (const line of lines) await this.#claims.putBack(line);
    return [];
  }

  async #runLine(batch: UnfinishedBatch, line: ClaimedLine, seat: LineAttempt['seat']): Promise<void> {
    const { store, clock, run } = this.#parts;
    const abort = new AbortController();
    const running: RunningLine = { abort, batch, waitingSinceMs: undefined, isMarkedStarted: false };
    const { request_id: requestId } = line;
    this.#running.set(requestId, running);
    let isShort = false;
    try {
      const reply = await run({
        batch,
        line: line.line,
        requestId,
        body: await this.#input.bodyOf(batch, line),
        seat,
        signal: running.abort.signal,
        keep: (body) => this.#keep(batch, requestId, body),
        waits: (isWaiting) => (running.waitingSinceMs = isWaiting ? clock.elapsed() : undefined),
        isMoneyHeld: () => this.#isMoneyHeld(batch.account_id),
        willCall: () => {
          if (!this.#ownsLines) abort.abort(lost());
        },
      });
      if (reply.isCharged) return this.#count(batch, reply.outcome.state);
      const isAborted = running.abort.signal.aborted;
      if (isAborted || reply.mayRepeat) return await this.#claims.putBack(line, isAborted ? 0 : repeatMs);
      const failures = line.failures + 1;
      if (reply.hasFailed && failures < attemptsMax)
        return await this.#claims.putBack({ ...line, failures }, repeatMs * failures);
      isShort = batch.kind === 'batch' && reply.lacksMoney;
      if (isShort && reply.moneyMayReturn && (await this.#isMoneyHeld(batch.account_id)))
        this.#seats.lacksMoney(batch.account_id);
      else if (isShort) this.#seats.endShortage(batch.account_id);
      if (isShort && reply.moneyMayReturn) return await this.#claims.putBack(line);
      await this.#keep(batch, requestId, reply.body);
      await store.commit(storingLineOutcome, { requestId, outcome: reply.outcome });
      this.#count(batch, reply.outcome.state);
    } finally {
      this.#running.delete(requestId);
      this.#strays.set(requestId, clock.elapsed());
      // A line that lacked money returns none.
      if (!isShort) this.#seats.moneyReturned(batch.account_id);
    }
  }

  /** Cancelled lines are counted at the end of their batch, also those that never ran. */
  #count({ kind }: BatchRow, outcome: LineOutcome['state']): void {
    if (kind === 'batch' && outcome !== 'cancelled') this.#parts.count(outcome, 1);
  }

  async #isMoneyHeld(accountId: string): Promise<boolean> {
    if (this.#parts.holdsMoney(accountId)) return true;
    return this.#claims.isLeasedElsewhere(accountId, this.#processId).catch(() => true);
  }

  async #keep({ account_id: accountId }: BatchRow, id: string, body: string): Promise<void> {
    const { store, vault, clock } = this.#parts;
    const sealed = lineBodies.seal(vault, { accountId, id }, body);
    const commit = () => store.commit(storingLineBodies, [{ id, accountId, createdAt: clock.now(), sealed }]);
    await whileUnreachable(commit, { place: 'the store', timeoutMs: storeMs });
  }
}
