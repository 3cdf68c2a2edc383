import { type AuditChange, recordChange } from '../admin/audit.ts';
import { systemClock } from '../core/clock.ts';
import { joined } from '../store/joined.ts';
import type { Store } from '../store/store.ts';

/** Makes a change and its audit entry in one transaction. `work` must use only the store that it receives. */
export function audited<Result>(
  store: Store,
  action: string,
  work: (inside: Store) => Promise<{ result: Result; change: AuditChange | undefined }>,
): Promise<Result> {
  return store.transaction(async (tx) => {
    const inside = joined(store, tx);
    const { result, change } = await work(inside);
    const by = { at: systemClock.now(), actor: 'cli', role: 'cli', action, requestId: undefined };
    if (change) await recordChange(inside, change, by);
    return result;
  });
}
