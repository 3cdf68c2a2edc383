import type { KeyObject } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { randomBase62 } from './base62.ts';
import type { AccountId } from './ids.ts';
import { keyDigest, sameDigest } from './key-digest.ts';
import type { MemberRole } from './members.ts';
import { type OperatorRole, operatorRoles } from './operators.ts';
import { secretFormat } from './secret-format.ts';

/** What whoever opens the link becomes: the first owner, a member of an account, or an operator. */
export type LinkPurpose =
  | { readonly kind: 'setup' }
  | { readonly kind: 'account'; readonly accountId: AccountId; readonly email: string; readonly role: MemberRole }
  | { readonly kind: 'operator'; readonly email: string; readonly role: OperatorRole };

export interface OneTimeLink {
  readonly id: string;
  readonly purpose: LinkPurpose;
  readonly madeBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface LinkMaking {
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: KeyObject;
}

const format = secretFormat('gwl_');
const lifetimeMs = { setup: 86_400_000, account: 7 * 86_400_000, operator: 7 * 86_400_000 };

/** Makes a link; only its secret opens it. */
export async function makeLink(
  { store, clock, pepper }: LinkMaking,
  purpose: LinkPurpose,
  madeBy: string,
): Promise<{ link: OneTimeLink; secret: string }> {
  const secret = format.newSecret();
  const row: Row = {
    id: `lnk_${randomBase62(16)}`,
    purpose: purpose.kind,
    digest: keyDigest(pepper, secret),
    email: purpose.kind === 'setup' ? null : purpose.email.toLowerCase(),
    role: purpose.kind === 'setup' ? 'owner' : purpose.role,
    account_id: purpose.kind === 'account' ? purpose.accountId : null,
    made_by: madeBy,
    created_at: clock.now(),
    expires_at: clock.now() + lifetimeMs[purpose.kind],
    used_at: null,
  };
  await store.db.insertInto('console_links').values(row).execute();
  return { link: fromRow(row), secret };
}

/** The link that the secret opens, unless it was used, taken back or is too old: all read the same. */
export async function openLink({ store, clock, pepper }: LinkMaking, secret: string): Promise<OneTimeLink | undefined> {
  if (!format.wellFormed(secret)) return undefined;
  const digest = keyDigest(pepper, secret);
  const row = await usable(store.db, clock).where('digest', '=', digest).executeTakeFirst();
  return row && sameDigest(row.digest, digest) ? fromRow(row) : undefined;
}

/** Uses the link up. Of several who try at the same time one succeeds; one that made an owner ends those like it. */
export async function useLink(db: Kysely<Database>, clock: Clock, { id, purpose }: OneTimeLink): Promise<boolean> {
  const used = await db
    .updateTable('console_links')
    .set({ used_at: clock.now() })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  if (purpose.kind === 'setup') {
    await db.deleteFrom('console_links').where('purpose', '=', 'setup').where('id', '<>', id).execute();
  }
  return used.numUpdatedRows > 0n;
}

/** Invitations that nobody has followed yet, oldest first: those to an account, or those to run the gateway. */
export async function openInvitations(
  db: Kysely<Database>,
  clock: Clock,
  accountId: AccountId | undefined,
): Promise<readonly OneTimeLink[]> {
  const links = usable(db, clock).orderBy('created_at').orderBy('id');
  const rows =
    accountId === undefined
      ? await links.where('purpose', '=', 'operator').execute()
      : await links.where('purpose', '=', 'account').where('account_id', '=', accountId).execute();
  return rows.map(fromRow);
}

/** Takes an invitation back. */
export async function withdrawLink(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('console_links').where('id', '=', id).execute();
}

type Row = Selectable<Database['console_links']>;

function usable(db: Kysely<Database>, clock: Clock) {
  return db.selectFrom('console_links').selectAll().where('used_at', 'is', null).where('expires_at', '>', clock.now());
}

function fromRow(row: Row): OneTimeLink {
  const { id, made_by: madeBy, created_at: createdAt, expires_at: expiresAt } = row;
  return { id, purpose: purposeOf(row), madeBy, createdAt, expiresAt };
}

function purposeOf({ purpose, email, role, account_id: accountId }: Row): LinkPurpose {
  if (purpose === 'setup' || email === null) return { kind: 'setup' };
  if (purpose === 'account') {
    return { kind: purpose, email, role: role as MemberRole, accountId: accountId as AccountId };
  }
  return { kind: purpose, email, role: operatorRoles.find((each) => each === role) ?? 'read-only' };
}
