import type { Kysely } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import { endKey } from './keys.ts';

/**
 * Revokes the keys in these accounts whose member has lost access: neither a member of the account nor of its
 * organisation. Call it in the transaction that removes the member or moves the account.
 */
export async function revokeKeysOfStrangers(
  tx: Kysely<Database>,
  clock: Pick<Clock, 'now'>,
  accountIds: readonly string[],
): Promise<void> {
  if (accountIds.length === 0) return;
  const keys = await tx
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select('api_keys.id')
    .where('api_keys.account_id', 'in', accountIds)
    .where('api_keys.member_id', 'is not', null)
    .where('api_keys.revoked_at', 'is', null)
    .where((key) =>
      key.not(
        key.exists(
          key
            .selectFrom('console_members')
            .select('user_id')
            .whereRef('console_members.account_id', '=', 'api_keys.account_id')
            .whereRef('user_id', '=', 'api_keys.member_id'),
        ),
      ),
    )
    .where((key) =>
      key.not(
        key.exists(
          key
            .selectFrom('organisation_members')
            .select('user_id')
            .whereRef('organisation_members.organisation_id', '=', 'accounts.organisation_id')
            .whereRef('user_id', '=', 'api_keys.member_id'),
        ),
      ),
    )
    .orderBy('api_keys.id')
    .execute();
  for (const { id } of keys) await endKey(tx, id, clock.now());
}
