import type { Kysely } from 'kysely';
import type { Database } from '../../../platform/store/database.ts';
import { lockAccounts } from '../ledger/locked-accounts.ts';
import { releaseLeases } from '../wallet/release-leases.ts';

/**
 * Reclaims the checkpoints that recovery could not charge, for a process that was alive, under its new id: otherwise
 * they would be charged without its knowledge. Returns the leases kept for them, because the running requests get new
 * leases. Locks the balances of the payers first, which waits for a concurrent charge.
 */
export async function reclaimCheckpoints(
  tx: Kysely<Database>,
  oldIds: readonly string[],
  newId: string,
): Promise<void> {
  const left = await tx.selectFrom('open_charges').select('account_id').where('process_id', 'in', oldIds).execute();
  if (left.length > 0)
    await lockAccounts(
      tx,
      left.map((row) => row.account_id),
    );
  await tx.updateTable('open_charges').set({ process_id: newId }).where('process_id', 'in', oldIds).execute();
  for (const processId of oldIds) await releaseLeases(tx, { processId });
}
