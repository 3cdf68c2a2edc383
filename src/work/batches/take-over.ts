import type { Transaction } from 'kysely';
import { chargedSoFar, settleCharges } from '../../money/billing/settle.ts';
import type { Database } from '../../platform/store/database.ts';
import { runWithin } from '../../platform/store/run-tasks.ts';
import type { Store } from '../../platform/store/store.ts';

interface TakeOverParts {
  readonly store: Store;
  readonly settings: () => {
    /** Whether a line runs again whose process ended during its answer. The operator pays for the lost part. */
    readonly repeatInterrupted: boolean;
  };
}

/** Lines of one round. */
const rowsAtOnce = 500;

/**
 * Work on batches and lines whose process has ended. If the heartbeats of a process stop and its peers reap it, they take
 * its work over: the table `processes` is the lease of all batches and lines.
 */
export class TakeOver {
  readonly #parts: TakeOverParts;

  constructor(parts: TakeOverParts) {
    this.#parts = parts;
  }

  /** Takes over the work of processes that were reaped: their checkpoints are charged, and their journals replayed. */
  async takeOver(): Promise<number> {
    const alive = this.#db.selectFrom('processes').select('id');
    const taken = this.#db.updateTable('batches').set({ process_id: null }).where('ended_at', 'is', null);
    await taken.where('process_id', 'not in', alive).execute();
    const orphans = await this.#db
      .selectFrom('batch_lines')
      .select('request_id')
      .where('state', '=', 'running')
      .where('process_id', 'not in', alive)
      .limit(rowsAtOnce)
      .execute();
    return this.resolve(orphans.flatMap(({ request_id: id }) => id ?? []));
  }

  /**
   * Ends attempts that will have no outcome. Their lines are queued again, and the account gets back what recovery
   * charged for the lost part. Without `repeatInterrupted`, a line that was charged ends as interrupted instead, so that
   * it is not charged again. So does a response of which a client has streamed a part.
   */
  async resolve(requests: readonly string[]): Promise<number> {
    if (requests.length === 0) return 0;
    const { repeatInterrupted } = this.#parts.settings();
    return this.#parts.store.transaction(async (tx) => {
      if (repeatInterrupted) await refundUnread(tx, requests);
      const charged = await runWithin(tx, chargedSoFar, requests);
      for (const requestId of requests) {
        const cost = charged.get(requestId) ?? 0n;
        const own = tx.updateTable('batch_lines').where('request_id', '=', requestId).where('state', '=', 'running');
        const ended = cost > 0n ? own : own.where('streamed_at', 'is not', null);
        // A late charge of the ended process is rejected.
        await ended.set({ state: 'interrupted', cost, process_id: null }).execute();
        // After a refund its charge would be final, so a late answer is not the outcome.
        const isRefunded = charged.has(requestId);
        const queued = { state: 'queued', process_id: null, started_at: null } as const;
        await own.set({ ...queued, ...(isRefunded && { request_id: null }) }).execute();
      }
      return requests.length;
    });
  }

  /**
   * The process has a new id: its batches keep it, and so do its lines, unless another process has claimed them
   * meanwhile. Returns the requests that it still runs.
   */
  async renew(before: string, processId: string, requests: readonly string[]): Promise<ReadonlySet<string>> {
    await this.#db.updateTable('batches').set({ process_id: processId }).where('process_id', '=', before).execute();
    if (requests.length === 0) return new Set();
    const kept = await this.#db
      .updateTable('batch_lines')
      .set({ process_id: processId, state: 'running' })
      .where('request_id', 'in', requests)
      .where('state', 'in', ['running', 'queued'])
      .returning('request_id')
      .execute();
    return new Set(kept.map(({ request_id: id }) => id ?? ''));
  }

  get #db(): Store['db'] {
    return this.#parts.store.db;
  }
}

/** Refunds what recovery charged for running lines that no client has read. A charge of their process itself is final. */
async function refundUnread(tx: Transaction<Database>, requests: readonly string[]): Promise<void> {
  const charges = await tx
    .selectFrom('transfers')
    .innerJoin('batch_lines', 'batch_lines.request_id', 'transfers.reference')
    .select(['reference', 'account_id', 'key_id', 'price_version', 'at', 'held'])
    .where('reference', 'in', requests)
    .where('kind', '=', 'charge')
    .where('by', '=', 'recovery')
    .where('batch_lines.state', '=', 'running')
    .where('streamed_at', 'is', null)
    .execute();
  const refunds = charges.map((charge) => ({
    requestId: charge.reference,
    accountId: charge.account_id,
    keyId: charge.key_id ?? '',
    processId: '',
    priceVersion: charge.price_version ?? '',
    at: charge.at,
    held: BigInt(charge.held ?? 0),
    cost: 0n,
    by: 'gateway' as const,
    reason: 'its process ended during the answer; it runs again, and the operator pays for the lost part',
  }));
  if (refunds.length > 0) await runWithin(tx, settleCharges, refunds);
}
