import type { Kysely } from 'kysely';
import type { AccountId, KeyId } from '../../accounts/ids.ts';
import { importKey, shareLimits } from '../../accounts/import-key.ts';
import { limitKey } from '../../accounts/key-limits.ts';
import { endKey, keyFrom, type NewKey } from '../../accounts/keys.ts';
import { setKeyMember } from '../../billing/budgets/limit-changes.ts';
import type { Database } from '../../store/database.ts';
import type { PlannedKey, PlannedSecret } from '../plan.ts';
import { type AppliedItems, applyItems } from './apply-items.ts';
import type { ApplyContext } from './context.ts';

interface KeyOwners {
  readonly accounts: ReadonlyMap<string, string>;
  readonly users: ReadonlyMap<string, string>;
}

/** Keys that the source revoked, blocked or removed are revoked here. A revoked key never becomes active again. */
export async function applyKeys(context: ApplyContext, tx: Kysely<Database>, owners: KeyOwners): Promise<AppliedItems> {
  const { clock, pepper, store, findings } = context;
  const rowOf = (id: string) => tx.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
  // Keys that were replaced come last: they join the limits of the keys that replaced them.
  const ordered = [...context.plan.keys].sort(
    (one, other) => Number(one.replacedBy !== undefined) - Number(other.replacedBy !== undefined),
  );
  const usable = ordered.filter(({ sourceId, name, account }) => {
    const isOwned = owners.accounts.has(account);
    if (!isOwned) findings.add('key_without_account', { kind: 'key', sourceId }, { name });
    return isOwned;
  });
  return applyItems(
    usable,
    {
      kind: 'key',
      content: ({ spent: _spent, secret: _secret, ...terms }) => terms,
      current: async (id) => {
        const row = await rowOf(id);
        if (!row) return undefined;
        const { name, memberId, models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt, revokedAt } =
          keyFrom(row);
        return { name, memberId, models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt, revokedAt };
      },
      create: async (item) => {
        const key: NewKey = {
          accountId: (owners.accounts.get(item.account) ?? '') as AccountId,
          name: item.name,
          ...termsOf(item),
          memberId: item.member === undefined ? undefined : owners.users.get(item.member),
        };
        const { key: made, isNew } = await importKey(tx, { clock, pepper }, key, foreignSecret(item.secret));
        if (!isNew) findings.add('key_exists', { kind: 'key', sourceId: item.sourceId }, { name: item.name });
        const replacement = item.replacedBy === undefined ? undefined : context.provenance.find('key', item.replacedBy);
        if (replacement) await shareLimits(tx, made.id, replacement.subjectId);
        if (item.status === 'revoked') await endKey(tx, made.id, clock.now());
        return made.id;
      },
      change: async (id, item) => {
        const row = await rowOf(id);
        const { models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt } = item;
        await limitKey(store, id as KeyId, {
          name: item.name,
          models: models ?? null,
          spendCap: spendCap ?? null,
          capPeriod: capPeriod ?? null,
          maxConcurrency: maxConcurrency ?? null,
          addresses: addresses ?? null,
          expiresAt: expiresAt ?? null,
        });
        const memberId = item.member === undefined ? undefined : owners.users.get(item.member);
        if (row && row.member_id !== (memberId ?? null)) await setKeyMember(tx, id, memberId ?? null);
        if (row && row.account_id !== owners.accounts.get(item.account))
          findings.add('key_moved', { kind: 'key', sourceId: item.sourceId }, { name: item.name });
        if (item.status === 'revoked') await endKey(tx, id, clock.now());
        else if (row && row.revoked_at !== null)
          findings.add('key_stays_revoked', { kind: 'key', sourceId: item.sourceId }, { name: item.name });
      },
      retire: async (id) => {
        await endKey(tx, id, clock.now());
      },
    },
    context,
  );
}

function termsOf(item: PlannedKey): Partial<NewKey> {
  const { models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt } = item;
  return { models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt };
}

function foreignSecret(secret: PlannedSecret): Parameters<typeof importKey>[3] {
  if (secret.form === 'sha256') return { scheme: 'sha256', sha256: secret.digest.reveal() };
  return { scheme: secret.form, secret: secret.value.reveal() };
}
