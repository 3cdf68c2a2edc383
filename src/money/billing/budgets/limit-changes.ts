import { type Kysely, sql } from 'kysely';
import { publishChange } from '../../../platform/cluster/change-feed.ts';
import { assert } from 'chat-formats/assert.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { type Limit, type LimitScope, limitsColumn, memberSubject } from '../../../core/limit.ts';
import type { Database } from '../../../platform/store/database.ts';
import { engineOf } from '../../../platform/store/engine.ts';
import { openBalance } from '../ledger/credits.ts';
import { lockAccounts } from '../ledger/locked-accounts.ts';
import { noFloor } from '../ledger/charging.ts';

type Handle = Kysely<Database>;

/** Replaces the limits of an account. Call it inside a transaction, as all functions here. */
export async function setAccountLimits(tx: Handle, accountId: string, limits: readonly Limit[]): Promise<void> {
  await lockAccounts(tx, [accountId]);
  await tx
    .updateTable('accounts')
    .set({ limits: limitsColumn(limits) })
    .where('id', '=', accountId)
    .execute();
  await forgetSpend(tx, 'account', [accountId]);
  await publishChange(tx, { topic: 'account', subject: accountId });
}

/** Replaces the limits of a member of an account. */
export async function setMemberLimits(
  tx: Handle,
  { accountId, userId }: { readonly accountId: string; readonly userId: string },
  limits: readonly Limit[],
): Promise<void> {
  await lockAccounts(tx, [accountId]);
  await tx
    .updateTable('console_members')
    .set({ limits: limitsColumn(limits) })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .execute();
  await forgetSpend(tx, 'member', [memberSubject(accountId, userId)]);
  await publishChange(tx, { topic: 'account', subject: accountId });
}

/**
 * Replaces the limits of an organisation. Charges lock an organisation only while it has limits, so all its accounts are
 * locked here: no charge that has seen the old limits is still open.
 */
export async function setOrganisationLimits(tx: Handle, id: string, limits: readonly Limit[]): Promise<void> {
  await lockLimits(tx, { accounts: [], organisations: [id] });
  await tx
    .updateTable('organisations')
    .set({ limits: limitsColumn(limits) })
    .where('id', '=', id)
    .execute();
  await forgetSpend(tx, 'organisation', [id]);
  await publishChange(tx, { topic: 'organisation', subject: id });
}

/** Moves an account into an organisation, or out of its own. Its spend counts for the new one only. */
export async function setOrganisation(tx: Handle, accountId: string, organisationId: string | null): Promise<void> {
  await lockAccounts(tx, [accountId]);
  const account = tx.selectFrom('accounts').select('organisation_id').where('id', '=', accountId);
  const { organisation_id: before } = await account.executeTakeFirstOrThrow();
  const ids = [before, organisationId].filter((id) => id !== null);
  await lockOrganisations(tx, ids);
  if (organisationId !== null) await requireOrganisation(tx, organisationId);
  await tx.updateTable('accounts').set({ organisation_id: organisationId }).where('id', '=', accountId).execute();
  await forgetSpend(tx, 'organisation', ids);
  await publishChange(tx, { topic: 'account', subject: accountId });
  for (const id of ids) await publishChange(tx, { topic: 'organisation', subject: id });
}

/** Makes a key, and the other keys of its chain, count for a member of its account, or for none. */
export async function setKeyMember(tx: Handle, keyId: string, memberId: string | null): Promise<void> {
  const key = tx.selectFrom('api_keys').select(['account_id', 'first_id']).where('id', '=', keyId);
  const { account_id: accountId, first_id: firstId } = await key.executeTakeFirstOrThrow();
  await lockAccounts(tx, [accountId]);
  const chain = await tx.selectFrom('api_keys').select('member_id').where('first_id', '=', firstId).execute();
  await tx.updateTable('api_keys').set({ member_id: memberId }).where('first_id', '=', firstId).execute();
  const members = [memberId, ...chain.map(({ member_id: before }) => before)].filter((id) => id !== null);
  await forgetSpend(
    tx,
    'member',
    members.map((userId) => memberSubject(accountId, userId)),
  );
  await publishChange(tx, { topic: 'account', subject: accountId });
}

/**
 * Makes an account postpaid, so that its balance may become negative, or prepaid. A prepaid account leases nothing while
 * its balance is negative. Processes return what they have leased and do not need.
 */
export async function setBilling(
  tx: Handle,
  accountId: string,
  { billing, now }: { readonly billing: 'prepaid' | 'postpaid'; readonly now: number },
): Promise<void> {
  await openBalance(tx, accountId);
  await lockAccounts(tx, [accountId]);
  const { billing: before } = await tx
    .selectFrom('accounts')
    .select('billing')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  const terms = billing === 'postpaid' ? { floor: noFloor } : { floor: 0n };
  const ended = before === 'postpaid' && billing === 'prepaid' ? { postpaid_until: now } : {};
  await tx
    .updateTable('balances')
    .set({ ...terms, ...ended })
    .where('account_id', '=', accountId)
    .execute();
  await tx.updateTable('accounts').set({ billing }).where('id', '=', accountId).execute();
  await publishChange(tx, { topic: 'account', subject: accountId });
  await publishChange(tx, { topic: 'lease', subject: accountId });
}

/** How often a transaction begins its locks again because accounts have joined. */
const attemptsMax = 100;

/**
 * Locks what a transaction with several changes of limits touches: these accounts and all accounts of these
 * organisations, then the organisations. Call it before the first change.
 */
export async function lockLimits(
  tx: Handle,
  { accounts, organisations }: { readonly accounts: readonly string[]; readonly organisations: readonly string[] },
): Promise<void> {
  if (engineOf(tx) !== 'postgres') return;
  for (let attempt = 1; ; attempt += 1) {
    const locked = new Set([...accounts, ...(await accountsOf(tx, organisations))]);
    await sql`savepoint limits`.execute(tx);
    await lockAccounts(tx, locked);
    await lockOrganisations(tx, organisations);
    const isComplete = (await accountsOf(tx, organisations)).every((id) => locked.has(id));
    if (isComplete) break;
    assert(attempt < attemptsMax, 'accounts do not join an organisation without end');
    // An account joined before the locks. Its balance comes before the organisations, so release them.
    await sql`rollback to savepoint limits`.execute(tx);
  }
  await sql`release savepoint limits`.execute(tx);
}

/** Locks an organisation that accounts are about to join. Throws if it was removed. */
export async function requireOrganisation(tx: Handle, id: string): Promise<void> {
  await lockOrganisations(tx, [id]);
  const found = await tx.selectFrom('organisations').select('id').where('id', '=', id).executeTakeFirst();
  if (!found) throw new GatewayError('conflict', { detail: 'The organisation was removed meanwhile.' });
}

/** Locks organisations in order of id. A transaction that also locks balances does so first. */
async function lockOrganisations(tx: Handle, ids: readonly string[]): Promise<void> {
  if (engineOf(tx) !== 'postgres' || ids.length === 0) return;
  await tx.selectFrom('organisations').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute();
}

/** Locks the organisations of accounts whose balances are locked. */
export async function lockOrganisationsOf(tx: Handle, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0) return;
  const accounts = tx.selectFrom('accounts').select('organisation_id').distinct().where('id', 'in', accountIds);
  const rows = await accounts.where('organisation_id', 'is not', null).execute();
  await lockOrganisations(
    tx,
    rows.flatMap((row) => row.organisation_id ?? []),
  );
}

export async function accountsOf(tx: Handle, organisationIds: readonly string[]): Promise<readonly string[]> {
  if (organisationIds.length === 0) return [];
  const rows = await tx.selectFrom('accounts').select('id').where('organisation_id', 'in', organisationIds).execute();
  return rows.map(({ id }) => id);
}

/** The next lease sums the spend again: other charges count now, or other shares of a limit are due. */
async function forgetSpend(tx: Handle, scope: LimitScope, subjectIds: readonly string[]): Promise<void> {
  if (subjectIds.length === 0) return;
  await tx.deleteFrom('budget_spend').where('scope', '=', scope).where('subject_id', 'in', subjectIds).execute();
}
