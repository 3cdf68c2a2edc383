import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { AccountId, KeyId } from '../../money/accounts/ids.ts';
import { importKey, renewKey, shareLimits } from '../../money/accounts/import-key.ts';
import { limitKey } from '../../money/accounts/key-limits.ts';
import { endKey, keyFrom, type NewKey } from '../../money/accounts/keys.ts';
import { setKeyMember } from '../../money/billing/budgets/limit-changes.ts';
import type { Database } from '../../platform/store/database.ts';
import type { PlannedKey, PlannedSecret } from 'chat-gateway-import/plan.ts';
import { Secret } from 'chat-gateway-import/secret.ts';
import { type AppliedItems, applyItems, type ItemHandler } from './apply-items.ts';
import type { ApplyContext } from './context.ts';

interface KeyOwners {
  readonly accounts: ReadonlyMap<string, string>;
  readonly users: ReadonlyMap<string, string>;
}

/** Keys that the source revoked, blocked or removed are revoked here. A revoked key never becomes active again. */
export async function applyKeys(context: ApplyContext, tx: Kysely<Database>, owners: KeyOwners): Promise<AppliedItems> {
  // Keys that were replaced come last: they join the limits of the keys that replaced them.
  const ordered = [...context.plan.keys].sort(
    (one, other) => Number(one.replacedBy !== undefined) - Number(other.replacedBy !== undefined),
  );
  const leftOut = new Set(context.plan.users.map((user) => user.sourceId).filter((id) => !owners.users.has(id)));
  const usable = ordered.filter(({ sourceId, name, account, member }) => {
    const isOwned = owners.accounts.has(account);
    if (!isOwned) context.findings.add('key_without_account', { kind: 'key', sourceId }, { name });
    // Without its member, the limits of the member would not hold for it.
    const hasMember = member === undefined || !leftOut.has(member);
    if (!hasMember) context.findings.add('key_without_member', { kind: 'key', sourceId }, { name });
    return isOwned && hasMember;
  });
  return applyItems(usable, keyHandler({ ...context, tx, owners }), context);
}

interface KeyParts extends ApplyContext {
  readonly tx: Kysely<Database>;
  readonly owners: KeyOwners;
}

function keyHandler(parts: KeyParts): ItemHandler<PlannedKey> {
  const { tx, clock, findings } = parts;
  return {
    kind: 'key',
    content: ({ spent: _spent, spentInPeriod: _part, secret: _secret, ...terms }) => terms,
    secret: ({ secret }) => secretDigest(secret),
    current: async (id) => {
      const row = await rowOf(tx, id);
      if (!row) return undefined;
      const { name, memberId, models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt, revokedAt } =
        keyFrom(row);
      return { name, memberId, models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt, revokedAt };
    },
    create: (item) => createKey(item, parts),
    change: (id, item) => changeKey(id, item, parts),
    renew: async (id, item) => {
      const { key, isNew } = await renewKey(tx, parts, id, foreignSecret(item.secret));
      if (!isNew && key.revokedAt !== undefined && item.status === 'active')
        findings.add('key_stays_revoked', { kind: 'key', sourceId: item.sourceId }, { name: item.name });
      return key.id;
    },
    retire: async (id) => {
      await endKey(tx, id, clock.now());
    },
    isEnded: ({ status }) => status === 'revoked',
  };
}

function rowOf(tx: Kysely<Database>, id: string) {
  return tx.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
}

async function createKey(item: PlannedKey, parts: KeyParts): Promise<string> {
  const { tx, owners, clock, findings } = parts;
  const key: NewKey = {
    accountId: (owners.accounts.get(item.account) ?? '') as AccountId,
    name: item.name,
    ...termsOf(item),
    memberId: item.member === undefined ? undefined : owners.users.get(item.member),
  };
  const { key: made, isNew } = await importKey(tx, parts, key, foreignSecret(item.secret));
  if (!isNew) findings.add('key_exists', { kind: 'key', sourceId: item.sourceId }, { name: item.name });
  await joinReplacement(made.id, item, parts);
  if (item.status === 'revoked') await endKey(tx, made.id, clock.now());
  return made.id;
}

async function changeKey(id: string, item: PlannedKey, parts: KeyParts): Promise<void> {
  const { tx, store, owners, clock, findings } = parts;
  await joinReplacement(id, item, parts);
  const row = await rowOf(tx, id);
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
}

async function joinReplacement(id: string, { replacedBy = '' }: PlannedKey, { tx, provenance }: KeyParts) {
  const replacement = provenance.find('key', replacedBy);
  if (replacement) await shareLimits(tx, id, replacement.subjectId);
}

function termsOf(item: PlannedKey): Partial<NewKey> {
  const { models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt } = item;
  return { models, spendCap, capPeriod, maxConcurrency, addresses, expiresAt };
}

/** The same for a key that an earlier import knew only by its hash. */
function secretDigest(secret: PlannedSecret): Secret {
  return secret.form === 'sha256' ? secret.digest : new Secret(hash('sha256', secret.value.reveal()));
}

export function foreignSecret(secret: PlannedSecret): Parameters<typeof importKey>[3] {
  if (secret.form === 'sha256') return { scheme: 'sha256', sha256: secret.digest.reveal() };
  return { scheme: secret.form, secret: secret.value.reveal() };
}
