import type { LineAttempt, LineReply } from '../../src/work/batches/line-attempt.ts';
import { BatchRunner } from '../../src/work/batches/batch-runner.ts';
import { Batches, windowMs } from '../../src/work/batches/batches.ts';
import type { Wallet } from '../../src/money/billing/wallet.ts';
import type { KeyHolder } from '../../src/core/caller.ts';
import { Files } from '../../src/work/files/files.ts';
import { defaultHttpLimits } from '../../src/serving/http/limits.ts';
import { idleTerms } from '../../src/serving/routing/fair-queue/idle-terms.ts';
import { type LineParts, runLine } from '../../src/serving/surfaces/batches/run-line.ts';
import type { SurfaceParts } from '../../src/serving/surfaces/conversation.ts';
import type { DeletionRounds } from '../../src/platform/store/periodic-deletion.ts';
import { submitBatch } from './batch-client.ts';
import type { BatchPlan } from './scenario.ts';
import { type BatchWatch, batchVault, fileLimits } from './batch-watch.ts';
import { accountOf } from './key-book.ts';
import { epochMs, type Machine } from './machine.ts';
import type { ScenarioBatches } from './scenario.ts';
import type { Store } from '../../src/platform/store/store.ts';
import type { SharedStore } from './shared-store.ts';
import type { World } from './world.ts';

interface BatchHostParts extends Pick<ScenarioBatches, 'linesAtOnce' | 'keepMs' | 'quota'> {
  readonly world: World;
  readonly machine: Machine;
  readonly store: SharedStore;
  readonly wallet: Wallet;
  readonly surface: SurfaceParts;
  readonly holder: (accountId: string) => KeyHolder | undefined | Promise<KeyHolder | undefined>;
  readonly lines: BatchWatch;
  readonly alarm: (error: unknown) => void;
}

const never = 1e12;

/** The batches of one gateway: the real runner, files, lines and deletions on the gateway's surface. */
export class BatchHost {
  readonly #parts: BatchHostParts;
  readonly #store: Store;
  readonly #files: Files;
  readonly #batches: Batches;
  readonly #runner: BatchRunner;
  readonly #deletions: readonly DeletionRounds[];

  constructor(parts: BatchHostParts) {
    const { machine, wallet, linesAtOnce, alarm, keepMs: keptMs = 100 * windowMs, quota: limits } = parts;
    const { clock } = machine;
    const store = parts.store.open(machine);
    this.#parts = parts;
    this.#store = store;
    let ids = 0;
    const newId = (): string => {
      const at = String(Math.floor((epochMs + parts.world.nowMs) * 100)).padStart(18, '0');
      return `${at}${machine.name}n${(ids += 1)}`;
    };
    const common = { store, vault: batchVault, clock, newId };
    this.#files = new Files({ ...common, limits: () => ({ ...fileLimits(), ...limits }) });
    const keepMs = () => keptMs;
    const quota = () => limits ?? { accountBatchesMax: never, accountLinesMax: never };
    this.#batches = new Batches({ ...common, files: this.#files, keepMs, quota });
    const ignore = () => {};
    this.#deletions = [this.#files.retention(ignore), this.#batches.retention(ignore)];
    this.#runner = new BatchRunner({
      ...common,
      files: this.#files,
      batches: this.#batches,
      keepMs,
      processId: () => wallet.processId,
      isSurelyAlive: () => wallet.isSurelyAlive,
      holdsMoney: (accountId) => wallet.holdsMoney(accountId),
      settings: () => ({ linesMax: 1000, linesAtOnce, repeatInterrupted: true }),
      access: () => Promise.resolve(() => true),
      storeResponse: () => Promise.resolve(),
      onError: alarm,
      count: () => {},
      run: (attempt) => this.#run(attempt),
    });
  }

  start(): void {
    for (const each of this.#deletions) each.start();
    this.#runner.start();
  }

  /** Begins a clean-up as if the last one were long ago. */
  cleanUp(): void {
    this.#parts.store.rows("delete from settings where name like 'deleted %'");
    this.stopDeletions();
    for (const each of this.#deletions) each.start();
  }

  stopDeletions(): void {
    for (const each of this.#deletions) each.stop();
  }

  /** A client that receives no reply does not know whether its batch exists. */
  create(plan: BatchPlan): void {
    const parts = { ...this.#parts, store: this.#store, files: this.#files, batches: this.#batches };
    submitBatch(parts, plan).catch(() => undefined);
  }

  #run(attempt: LineAttempt): Promise<LineReply> {
    const { surface, machine, holder, lines } = this.#parts;
    const { clock } = machine;
    lines.runs(attempt, machine);
    const parts: LineParts = {
      ...surface,
      keys: {
        holderWithId: async (keyId) => holder(accountOf(keyId)),
        rememberedWithId: () => undefined,
      },
      storage: undefined as never,
      inFlight: undefined,
      relay: undefined,
      identity: () => undefined as never,
      limits: () => ({ ...defaultHttpLimits, socketsMax: never }),
      idle({ id: batchId, created_at: from, expires_at: until, now }, seat) {
        const elapsedAt = (at: number): number => clock.elapsed() + at - now;
        return idleTerms({ batchId, fromMs: elapsedAt(from), untilMs: elapsedAt(until) }, seat);
      },
    };
    return runLine(parts, attempt);
  }
}
