import type { Transaction } from 'kysely';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import { joined } from '../../platform/store/joined.ts';
import type { Store } from '../../platform/store/store.ts';
import { leakyCounts } from './leaky-counts.ts';

/** How many changes an account, an organisation or a user may make at once. One more is allowed every 8.64 seconds. */
export const changesMax = 10_000;
const drainMs = 86_400_000 / changesMax;

/**
 * Counts a change in its transaction, so that a refused change does not count. It bounds all rows that changes create, and
 * the changes of one name run one after another: a change that counts rows before it inserts one sees those of the others.
 */
export function countChange(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  name: string,
): Promise<void> {
  const count = async (tx: Transaction<Database>): Promise<void> => {
    const counts = leakyCounts({ store: joined(store, tx), clock, realm: 'changes of', max: changesMax, drainMs });
    const seen = await counts.read(name);
    if (seen.level < changesMax && (await counts.add(name, seen))) return;
    throw new GatewayError('overloaded', { reason: reason('too_many_changes', { max: changesMax }) });
  };
  return store.transaction(count, { lock: `changes of ${name}` });
}
