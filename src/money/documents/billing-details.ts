import type { Kysely } from 'kysely';
import { shownName } from '../accounts/accounts.ts';
import { findOrganisation } from '../accounts/organisations.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Party } from './billing-document.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** How an account wants to be named on documents. Without a name, the name of the account is printed. */
export interface BillingDetails extends Omit<Party, 'name'> {
  readonly name?: string | undefined;
}

export async function billingDetails(db: Kysely<Database>, accountId: string): Promise<BillingDetails> {
  const row = await db
    .selectFrom('billing_details')
    .select('details')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row ? (ownJson(row.details) as BillingDetails) : { address: [] };
}

export async function setBillingDetails(
  db: Kysely<Database>,
  accountId: string,
  { now, details }: { readonly now: number; readonly details: BillingDetails },
): Promise<void> {
  const row = { details: JSON.stringify(details), changed_at: now };
  await db
    .insertInto('billing_details')
    .values({ account_id: accountId, ...row })
    .onConflict((existing) => existing.column('account_id').doUpdateSet(row))
    .execute();
}

/** The account as a document prints it. */
export async function customerOf(db: Kysely<Database>, accountId: string): Promise<Party> {
  const details = await billingDetails(db, accountId);
  if (details.name !== undefined) return { ...details, name: details.name };
  const row = await db.selectFrom('accounts').select(shownName).where('id', '=', accountId).executeTakeFirst();
  return { ...details, name: row?.name ?? accountId };
}

/** The organisation as its bills print it. */
export async function billedParty(db: Kysely<Database>, organisationId: string): Promise<Party> {
  const organisation = await findOrganisation(db, organisationId);
  return { name: organisation?.displayName ?? organisation?.name ?? organisationId, address: [] };
}
