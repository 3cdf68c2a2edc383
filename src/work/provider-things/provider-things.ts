import { databaseNow } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import type { PlacedThings, ThingPlace } from '../../core/thing-place.ts';
import { dayMs } from '../../core/time/calendar-day.ts';

/** The longest time for which a provider keeps a sandbox. */
const keepMs = 30 * dayMs;
/** Ids that are remembered for one account; the oldest beyond it are forgotten. */
export const thingsMax = 1000;
/** Ids of one answer; more are forgotten. */
const answerThingsMax = 64;
const idMax = 256;

/** A longer id is forgotten, and so is one that PostgreSQL cannot store. */
function isId(id: string): boolean {
  return id !== '' && id.length <= idMax && !id.includes('\0');
}

/**
 * The things that providers store under the operator's credentials: sandboxes and their files. All accounts share those
 * credentials, so a request may name only a thing whose id its account has received.
 */
export class ProviderThings implements PlacedThings {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async remember(accountId: string, ids: readonly string[], { upstream, credential }: ThingPlace): Promise<void> {
    const known = [...new Set(ids)].filter(isId).slice(0, answerThingsMax);
    if (known.length === 0) return;
    await this.#store.transaction(async (tx) => {
      const now = databaseNow(tx);
      await tx
        .insertInto('provider_things')
        .values(known.map((id) => ({ account_id: accountId, id, upstream, credential, received_at: now })))
        .onConflict((conflict) => conflict.columns(['account_id', 'id']).doUpdateSet({ received_at: now }))
        .execute();
      const own = tx.selectFrom('provider_things').select('id').where('account_id', '=', accountId);
      const kept = own.orderBy('received_at', 'desc').orderBy('id').limit(thingsMax);
      await tx.deleteFrom('provider_things').where('account_id', '=', accountId).where('id', 'not in', kept).execute();
    });
  }

  async find(accountId: string, ids: readonly string[]): Promise<ReadonlyMap<string, ThingPlace>> {
    const wanted = ids.filter(isId);
    if (wanted.length === 0) return new Map();
    const { db } = this.#store;
    const rows = await db
      .selectFrom('provider_things')
      .select(['id', 'upstream', 'credential', 'received_at', databaseNow(db).as('now')])
      .where('account_id', '=', accountId)
      .where('id', 'in', wanted)
      .execute();
    const fresh = rows.filter((row) => row.received_at >= row.now - keepMs);
    return new Map(fresh.map(({ id, upstream, credential }) => [id, { upstream, credential }]));
  }
}
