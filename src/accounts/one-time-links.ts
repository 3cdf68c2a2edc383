import type { Kysely, Selectable } from 'kysely';
import type { Clock } from '../core/clock.ts';
import type { Database } from '../store/database.ts';
import type { Store } from '../store/store.ts';
import { randomBase62 } from './base62.ts';
import type { AccountId } from './ids.ts';
import { isOneOf, keyDigest, keyDigests, type Pepper } from './key-digest.ts';
import type { MemberRole } from './members.ts';
import { type OperatorRole, operatorRoles } from './operators.ts';
import { type Resettable, type ResetRight, resettable } from './resets.ts';
import { secretFormat } from './secret-format.ts';

/** What someone is asked to become. */
export type Invitation =
  | { readonly kind: 'account'; readonly accountId: AccountId; readonly email: string; readonly role: MemberRole }
  | { readonly kind: 'operator'; readonly email: string; readonly role: OperatorRole };

/** What a user who cannot get in may replace, and by whose right. */
export interface Reset {
  readonly kind: 'reset';
  readonly email: string;
  readonly resets: Resettable;
  readonly right: ResetRight;
}

/** What whoever opens the link becomes: the first owner, a member of an account, an operator, or themselves again. */
export type LinkPurpose = { readonly kind: 'setup' } | Invitation | Reset;

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
  readonly pepper: Pepper;
}

const format = secretFormat('gwl_');
const hourMs = 3_600_000;
const lifetimeMs = { setup: 24 * hourMs, account: 168 * hourMs, operator: 168 * hourMs, reset: 3 * hourMs };

/** Makes a link; only its secret opens it. */
export async function makeLink(
  { store, clock, pepper }: LinkMaking,
  purpose: LinkPurpose,
  madeBy: string,
): Promise<{ link: OneTimeLink; secret: string }> {
  const secret = format.newSecret();
  const row: LinkRow = {
    id: `lnk_${randomBase62(16)}`,
    ...rowOf(purpose),
    digest: keyDigest(pepper, secret),
    email: purpose.kind === 'setup' ? null : purpose.email.toLowerCase(),
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
  const digests = keyDigests(pepper, secret);
  const row = await usable(store.db, clock).where('digest', 'in', digests).executeTakeFirst();
  return row && isOneOf(digests, row.digest) ? fromRow(row) : undefined;
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

/** Everything that somebody may still follow, newest first, but for links that make owners of the gateway. */
export async function openLinks(
  db: Kysely<Database>,
  clock: Clock,
  part: { readonly withOperators: boolean; readonly after?: LinkPosition | undefined; readonly limit: number },
): Promise<readonly OneTimeLink[]> {
  const hidden: LinkRow['purpose'][] = part.withOperators ? ['setup'] : ['setup', 'operator'];
  let links = usable(db, clock)
    .where('purpose', 'not in', hidden)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(part.limit);
  if (part.after) {
    const [at, id] = part.after;
    links = links.where((eb) =>
      eb.or([eb('created_at', '<', at), eb.and([eb('created_at', '=', at), eb('id', '<', id)])]),
    );
  }
  return (await links.execute()).map(fromRow);
}

/** The link of that id, if it may still be followed. */
export async function openLinkOf(db: Kysely<Database>, clock: Clock, id: string): Promise<OneTimeLink | undefined> {
  const row = await usable(db, clock).where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

/** When the last link of the page before was made, and which it was. */
type LinkPosition = readonly [createdAt: number, id: string];

/** Takes back what could let someone in as a user: links for that user, or links that someone made; of one account, or all. */
export async function withdrawResets(
  db: Kysely<Database>,
  whose: { readonly email: string } | { readonly madeBy: string },
  accountId?: AccountId,
): Promise<void> {
  const open = db.deleteFrom('console_links').where('purpose', 'in', resetPurposes).where('used_at', 'is', null);
  const meant =
    'email' in whose ? open.where('email', '=', whose.email.toLowerCase()) : open.where('made_by', '=', whose.madeBy);
  await (accountId === undefined ? meant : meant.where('account_id', '=', accountId)).execute();
}

/** Takes a link back. */
export async function withdrawLink(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('console_links').where('id', '=', id).execute();
}

type LinkRow = Selectable<Database['console_links']>;

function usable(db: Kysely<Database>, clock: Clock) {
  return db.selectFrom('console_links').selectAll().where('used_at', 'is', null).where('expires_at', '>', clock.now());
}

function fromRow(row: LinkRow): OneTimeLink {
  const { id, made_by: madeBy, created_at: createdAt, expires_at: expiresAt } = row;
  return { id, purpose: purposeOf(row), madeBy, createdAt, expiresAt };
}

const resetPurposes = resettable.map((what) => `reset-${what}` as const);

/** How the purpose is written down: `role` is what one becomes, or by whose right one gets in again. */
function rowOf(purpose: LinkPurpose): Pick<LinkRow, 'purpose' | 'role' | 'account_id'> {
  if (purpose.kind === 'setup') return { purpose: 'setup', role: 'owner', account_id: null };
  if (purpose.kind !== 'reset') {
    return {
      purpose: purpose.kind,
      role: purpose.role,
      account_id: purpose.kind === 'account' ? purpose.accountId : null,
    };
  }
  const { right, resets } = purpose;
  return 'operator' in right
    ? { purpose: `reset-${resets}`, role: right.operator, account_id: null }
    : { purpose: `reset-${resets}`, role: 'account', account_id: right.accountId };
}

function purposeOf({ purpose, email, role, account_id: accountId }: LinkRow): LinkPurpose {
  if (purpose === 'setup' || email === null) return { kind: 'setup' };
  if (purpose === 'account') {
    return { kind: purpose, email, role: role as MemberRole, accountId: accountId as AccountId };
  }
  const operator = operatorRoles.find((each) => each === role) ?? 'read-only';
  if (purpose === 'operator') return { kind: purpose, email, role: operator };
  const resets = resettable[resetPurposes.indexOf(purpose)] ?? 'password';
  const right = accountId === null ? { operator } : { accountId: accountId as AccountId };
  return { kind: 'reset', email, resets, right };
}
