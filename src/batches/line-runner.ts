import type { SecretVault } from '../catalog/secret-vault.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { LineOutcome } from '../core/line-outcome.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Files } from '../files/files.ts';
import { whileUnreachable } from '../store/postgres/unreachable.ts';
import type { Store } from '../store/store.ts';
import type { BatchRow, LineRow } from './batch-rows.ts';
import type { LineAttempt, LineReply } from './line-attempt.ts';
import { lineBodies } from './line-bodies.ts';
import { LineInput } from './line-input.ts';
import type { ClaimedLine, LineWork } from './line-work.ts';
import { MoneyWait } from './money-wait.ts';
import { storingLineOutcome } from './outcome/line-outcome.ts';
import { storingLineBodies } from './storing-job.ts';

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

interface RunningLine {
  readonly abort: AbortController;
  readonly batch: BatchRow;
  isWaiting: boolean;
  /** It was refused for lack of money, and holds none. */
  isShort: boolean;
  isMarkedStarted: boolean;
}

/** Another process may run the line. So the account does not pay for this attempt, as after a shutdown. */
function lost(): GatewayError {
  return new GatewayError('shutting-down', { cause: new Error('another process may run the line') });
}

/** Runs the lines of batches on the seats of this process: claims them, runs their requests and stores their outcomes. */
export class LineRunner {
  readonly #parts: LineRunnerParts;
  readonly #work: LineWork;
  readonly #input: LineInput;
  /** Called when a seat has run the last line of the batch that it could claim. */
  readonly #onIdle: (batch: BatchRow) => void;
  /** By request. */
  readonly #running = new Map<string, RunningLine>();
  /** Claimed lines that wait for a seat, by batch. */
  readonly #claimed = new Map<string, ClaimedLine[]>();
  /** The taken seats of each batch. */
  readonly #seats = new Map<string, Set<number>>();
  readonly #claims = new Map<string, Promise<void>>();
  readonly #moneyWait: MoneyWait;
  /** When a line of this process without a running request was first seen, by request. */
  #strays = new Map<string, number>();
  readonly #filledSeats = new Set<Promise<void>>();
  #processId: string;
  /** The batches that have seats, and the number of seats of each. */
  #seated: ReadonlySet<string> = new Set();
  #seatsEach = 0;
  #isStopped = true;

  constructor(parts: LineRunnerParts, work: LineWork, onIdle: (batch: BatchRow) => void) {
    this.#parts = parts;
    this.#work = work;
    this.#input = new LineInput(parts.files);
    this.#moneyWait = new MoneyWait(parts.clock);
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
    for (const { abort, isWaiting } of this.#running.values()) if (isWaiting) abort.abort();
    this.#moneyWait.endAll();
  }

  /** Queues the lines again that wait for a seat. */
  async returnClaimed(): Promise<void> {
    for (const line of [...this.#claimed.values()].flat())
      await this.#work.putBack(line, 'queued').catch(() => undefined);
    this.#claimed.clear();
  }

  /** Resolves when no line is left. */
  async stop(): Promise<void> {
    for (const filled of this.#filledSeats) await filled;
  }

  /** Divides the seats of this process among the batches. A response in the background has one of its own. */
  divideSeats(batches: readonly BatchRow[], linesAtOnce: number): void {
    this.#seated = new Set(batches.slice(0, linesAtOnce).map(({ id }) => id));
    this.#seatsEach = Math.max(1, Math.floor(linesAtOnce / Math.max(1, batches.length)));
  }

  /** Its process id changes if this process was reaped by mistake. It gives up lines that others took over meanwhile. */
  async renewProcess(): Promise<void> {
    const processId = this.#parts.processId();
    if (processId === this.#processId) return;
    const kept = await this.#work.renew(this.#processId, processId, [...this.#running.keys()]);
    this.#processId = processId;
    for (const [requestId, { abort }] of this.#running) if (!kept.has(requestId)) abort.abort(lost());
    // Lines of the old id that do not run yet are taken over.
    for (const lines of this.#claimed.values()) lines.splice(0);
  }

  /** Lines of this process whose request has ended, but whose outcome was not confirmed. */
  async resolveStrays(): Promise<void> {
    const { clock } = this.#parts;
    const claimed = new Set([...this.#claimed.values()].flat().map(({ request_id: id }) => id));
    const strays = (await this.#work.runningOf(this.#processId)).filter(
      (id) => !this.#running.has(id) && !claimed.has(id),
    );
    const since = new Map(strays.map((id) => [id, this.#strays.get(id) ?? clock.elapsed()]));
    this.#strays = since;
    await this.#work.resolve(strays.filter((id) => clock.elapsed() - (since.get(id) ?? 0) >= unsettledMs));
  }

  /** Lets one line of each account that lacks money repeat now and then. */
  repeatShort(): void {
    this.#moneyWait.repeatSome();
  }

  /** A response in the background is queued until a provider works on it. */
  async markStarted(): Promise<void> {
    const started = [...this.#running].filter(
      ([, { batch, isWaiting, isMarkedStarted }]) => batch.kind === 'response' && !isWaiting && !isMarkedStarted,
    );
    for (const [, line] of started) line.isMarkedStarted = true;
    await this.#work.markStarted(started.map(([requestId]) => requestId));
  }

  /** Lines of an ending batch that have no slot yet do not run. A cancelled response ends also if it runs. */
  async endWaiting(batch: BatchRow): Promise<void> {
    const state = batch.state === 'cancelling' ? 'cancelled' : 'expired';
    for (const line of this.#claimed.get(batch.id)?.splice(0) ?? []) await this.#work.putBack(line, state);
    const endsAll = batch.kind === 'response' && batch.state === 'cancelling';
    for (const line of this.#running.values())
      if (line.batch.id === batch.id && (line.isWaiting || endsAll)) line.abort.abort();
    this.#moneyWait.end(batch.account_id);
  }

  /** Fills the free seats of a batch. Each seat runs one line after another. */
  seatLines(batch: BatchRow): void {
    const seatsMax = this.#seatsOf(batch);
    if (seatsMax === 0) return;
    const seats = this.#seats.get(batch.id) ?? new Set();
    this.#seats.set(batch.id, seats);
    for (let index = 0; index < seatsMax; index += 1) {
      if (seats.has(index)) continue;
      seats.add(index);
      const filled = this.#fillSeat(batch, index)
        .catch(this.#parts.onError)
        .finally(() => {
          this.#filledSeats.delete(filled);
          seats.delete(index);
          if (seats.size === 0) this.#seats.delete(batch.id);
        });
      this.#filledSeats.add(filled);
    }
  }

  async #fillSeat(batch: BatchRow, index: number): Promise<void> {
    let lines = 0;
    for (; !this.#isStopped && index < this.#seatsOf(batch); lines += 1) {
      const line = await this.#nextLine(batch);
      if (!line) break;
      await this.#runLine(batch, line, index);
    }
    // The last lines are over. Without one, the next look is soon enough.
    if (lines > 0) this.#onIdle(batch);
  }

  /** A process that was silent for too long calls no provider: others may have its lines. */
  get #ownsLines(): boolean {
    return this.#parts.isSurelyAlive() && this.#parts.processId() === this.#processId;
  }

  #seatsOf({ id, kind }: BatchRow): number {
    if (kind === 'response') return 1;
    return this.#seated.has(id) ? this.#seatsEach : 0;
  }

  /** Lines are claimed a handful at a time: one for each seat. */
  async #nextLine(batch: BatchRow): Promise<ClaimedLine | undefined> {
    const claimed = this.#claimed.get(batch.id) ?? [];
    this.#claimed.set(batch.id, claimed);
    if (claimed.length === 0) {
      const claim = this.#claims.get(batch.id) ?? this.#claim(batch, claimed);
      this.#claims.set(batch.id, claim);
      await claim.finally(() => this.#claims.delete(batch.id));
    }
    return this.#isStopped || !this.#ownsLines ? undefined : claimed.shift();
  }

  async #claim(batch: BatchRow, claimed: ClaimedLine[]): Promise<void> {
    if (batch.expires_at <= this.#parts.clock.now()) return;
    const processId = this.#processId;
    const lines = await this.#work.claim(batch, processId, this.#seatsEach);
    if (processId === this.#processId) claimed.push(...lines);
    if (this.#isStopped) for (const line of claimed.splice(0)) await this.#work.putBack(line, 'queued');
  }

  async #runLine(batch: BatchRow, line: ClaimedLine, index: number): Promise<void> {
    const { store, clock, run } = this.#parts;
    const abort = new AbortController();
    const running: RunningLine = { abort, batch, isWaiting: false, isShort: false, isMarkedStarted: false };
    const { request_id: requestId } = line;
    this.#running.set(requestId, running);
    let isHopeless = false;
    try {
      const reply = await run({
        batch,
        line: line.line,
        requestId,
        body: await this.#input.bodyOf(batch, line),
        seat: { index, of: this.#seatsEach },
        signal: running.abort.signal,
        keep: (body) => this.#keep(batch, requestId, body),
        waits: (isWaiting) => (running.isWaiting = isWaiting),
        isMoneyHeld: () => this.#isMoneyHeld(batch.account_id),
        willCall: () => {
          if (!this.#ownsLines) abort.abort(lost());
        },
      });
      if (reply.isCharged) return this.#count(batch, reply.outcome.state);
      const isAborted = running.abort.signal.aborted;
      if (isAborted || reply.mayRepeat) return await this.#putBack(batch, line, isAborted ? 0 : repeatMs);
      const failures = line.failures + 1;
      if (reply.hasFailed && failures < attemptsMax)
        return await this.#putBack(batch, { ...line, failures }, repeatMs * failures);
      const isShort = batch.kind === 'batch' && reply.lacksMoney;
      if (isShort && reply.moneyMayReturn) {
        await this.#moneyReturns(running);
        return await this.#putBack(batch, line, 0);
      }
      isHopeless = isShort;
      await this.#keep(batch, requestId, reply.body);
      await store.commit(storingLineOutcome, { requestId, outcome: reply.outcome });
      this.#count(batch, reply.outcome.state);
    } finally {
      this.#running.delete(requestId);
      this.#strays.set(requestId, clock.elapsed());
      if (isHopeless) this.#moneyWait.end(batch.account_id);
      // A line that lacked money returns none.
      else if (!running.isShort) this.#moneyWait.repeatOldest(batch.account_id);
    }
  }

  #count({ kind }: BatchRow, outcome: LineOutcome['state']): void {
    if (kind === 'batch') this.#parts.count(outcome, 1);
  }

  async #isMoneyHeld(accountId: string): Promise<boolean> {
    if (this.#parts.holdsMoney(accountId)) return true;
    return this.#work.isLeasedElsewhere(accountId, this.#processId).catch(() => true);
  }

  /** Waits until another line of the account returns what it held, or until its turn comes. */
  async #moneyReturns(running: RunningLine): Promise<void> {
    running.isShort = true;
    const { account_id: accountId } = running.batch;
    if ((await this.#isMoneyHeld(accountId)) && !this.#isStopped) await this.#moneyWait.line(accountId);
  }

  async #putBack(batch: BatchRow, line: ClaimedLine, delayMs: number): Promise<void> {
    if ((await this.#work.stateOf(batch.id)) === 'cancelling') return this.#work.putBack(line, 'cancelled');
    if (batch.expires_at <= this.#parts.clock.now()) return this.#work.putBack(line, 'expired');
    await this.#work.putBack(line, 'queued', delayMs);
  }

  async #keep({ account_id: accountId }: BatchRow, id: string, body: string): Promise<void> {
    const { store, vault, clock } = this.#parts;
    const sealed = lineBodies.seal(vault, { accountId, id }, body);
    const commit = () => store.commit(storingLineBodies, [{ id, accountId, createdAt: clock.now(), sealed }]);
    await whileUnreachable(commit, { place: 'the store', timeoutMs: storeMs });
  }
}
