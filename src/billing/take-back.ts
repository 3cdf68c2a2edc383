import type { Kysely } from 'kysely';
import type { Database } from '../store/database.ts';
import { lockAccounts } from './locked-accounts.ts';
import { releaseLeases } from './release-leases.ts';

/**
 * What recovery could not charge belongs to a process that was not dead after all, under its new name: it would be charged
 * behind its back once it can be. What was kept for it goes back, for its request is paid for anew. All of it behind the
 * balances of those who pay, where whoever charges it meanwhile is waited for.
 */
export async function takeBackCheckpoints(tx: Kysely<Database>, before: readonly string[], now: string): Promise<void> {
  const left = await tx.selectFrom('open_charges').select('account_id').where('process_id', 'in', before).execute();
  if (left.length > 0)
    await lockAccounts(
      tx,
      left.map((row) => row.account_id),
    );
  await tx.updateTable('open_charges').set({ process_id: now }).where('process_id', 'in', before).execute();
  for (const processId of before) await releaseLeases(tx, { processId });
}
