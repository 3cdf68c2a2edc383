import type { Kysely, Selectable } from 'kysely';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../platform/store/database.ts';
import { randomBase62 } from './base62.ts';
import type { AccountId, OrganisationId } from './ids.ts';
import { isOneOf, keyDigest, keyDigests, type SecretParts } from '../../platform/secrets/key-digest.ts';
import { type MemberRole, membershipsOf } from './members.ts';
import { type OperatorRole, operatorRoleOf, operatorRoles } from './operators.ts';
import { type OrganisationRole, organisationsOfUser } from './organisation-members.ts';
import { type Resettable, type ResetRight, resettable } from './resets.ts';
import { secretFormat } from './secret-format.ts';
import { userByEmail } from './users.ts';

export type Invitation =
  | { readonly kind: 'account'; readonly accountId: AccountId; readonly email: string; readonly role: MemberRole }
  | {
      readonly kind: 'organisation';
      readonly organisationId: OrganisationId;
      readonly email: string;
      readonly role: OrganisationRole;
    }
  | { readonly kind: 'operator'; readonly email: string; readonly role: OperatorRole };

type LinkOwner = { readonly accountId: AccountId } | { readonly organisationId: OrganisationId };

/** Whose members a link invites: an account, an organisation or the operators. */
export type InvitationScope = LinkOwner | { readonly operators: true };

/** The credentials that a user may replace with a link, and the right by which the link was created. */
export interface Reset {
  readonly kind: 'reset';
  readonly email: string;
  readonly resets: Resettable;
  readonly right: ResetRight;
}

/** A link creates the first owner, a member or an operator, or lets a user sign in again. */
export type LinkPurpose = { readonly kind: 'setup' } | Invitation | Reset;

export interface OneTimeLink {
  readonly id: string;
  readonly purpose: LinkPurpose;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

const format = secretFormat('gwl_');
const hourMs = 3_600_000;
const lifetimeMs = {
  setup: 24 * hourMs,
  account: 168 * hourMs,
  organisation: 168 * hourMs,
  operator: 168 * hourMs,
  reset: 3 * hourMs,
};

/** Creates a link. Only its secret opens it. `mailed` is the secret for an e-mail: it also proves the address. */
export async function makeLink(
  { store, clock, pepper }: SecretParts,
  purpose: LinkPurpose,
  createdBy: string,
): Promise<{ link: OneTimeLink; secret: string; mailed: string }> {
  const secret = format.newSecret();
  const row: LinkRow = {
    id: `lnk_${randomBase62(16)}`,
    ...rowOf(purpose),
    digest: keyDigest(pepper, secret),
    email: purpose.kind === 'setup' ? null : purpose.email.toLowerCase(),
    created_by: createdBy,
    created_at: clock.now(),
    expires_at: clock.now() + lifetimeMs[purpose.kind],
    used_at: null,
  };
  await store.db.insertInto('console_links').values(row).execute();
  return { link: fromRow(row), secret, mailed: `${secret}.${keyDigest(pepper, addressOf(row))}` };
}

function addressOf({ id, email }: Pick<LinkRow, 'id' | 'email'>): string {
  return `the address ${email} of ${id}`;
}

export interface OpenedLink extends OneTimeLink {
  /** Whether the secret comes from the e-mail to the address, and not from the user who created the link. */
  readonly isMailed: boolean;
}

/** The link of a secret. `undefined` if it is unknown, used, withdrawn or expired. */
export async function openLink({ store, clock, pepper }: SecretParts, text: string): Promise<OpenedLink | undefined> {
  const [secret = '', proof = ''] = text.split('.');
  if (!format.wellFormed(secret)) return undefined;
  const digests = keyDigests(pepper, secret);
  const row = await usable(store.db, clock).where('digest', 'in', digests).executeTakeFirst();
  if (!row || !isOneOf(digests, row.digest)) return undefined;
  return { ...fromRow(row), isMailed: isOneOf(keyDigests(pepper, addressOf(row)), proof) };
}

/** Uses up a link. Of several concurrent calls, one returns true. A setup link also deletes all other setup links. */
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

/** Open invitations, oldest first. */
export async function openInvitations(
  db: Kysely<Database>,
  clock: Clock,
  scope: InvitationScope,
): Promise<readonly OneTimeLink[]> {
  const links = usable(db, clock).where((link) => link.and(invitationsTo(scope)));
  return (await links.orderBy('created_at').orderBy('id').execute()).map(fromRow);
}

/** The columns that invitations to a scope share. */
function invitationsTo(scope: InvitationScope): Partial<LinkRow> {
  if ('operators' in scope) return { purpose: 'operator' };
  return { purpose: 'accountId' in scope ? 'account' : 'organisation', ...ownerOf(scope) };
}

function ownerOf(scope: LinkOwner): Partial<LinkRow> {
  return 'accountId' in scope ? { account_id: scope.accountId } : { organisation_id: scope.organisationId };
}

/** Links that can still be used, newest first, except setup links. */
export async function openLinks(
  db: Kysely<Database>,
  clock: Clock,
  part: { readonly withOperators: boolean; readonly after?: LinkPosition | undefined; readonly limit: number },
): Promise<readonly OneTimeLink[]> {
  const hidden: LinkRow['purpose'][] = part.withOperators ? ['setup'] : ['setup', 'operator'];
  let links = usable(db, clock)
    .where('purpose', 'not in', hidden)
    // Anyone can request a link for any address, also an unknown one.
    .where('role', '<>', ownReset)
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

export async function openLinkOf(db: Kysely<Database>, clock: Clock, id: string): Promise<OneTimeLink | undefined> {
  const row = await usable(db, clock).where('id', '=', id).executeTakeFirst();
  return row && fromRow(row);
}

type LinkPosition = readonly [createdAt: number, id: string];

/** Withdraws reset links for a user. Of one account, or of all. */
export async function withdrawResets(
  db: Kysely<Database>,
  { email }: { readonly email: string },
  accountId?: AccountId,
): Promise<void> {
  const open = db.deleteFrom('console_links').where('purpose', 'in', resetPurposes).where('used_at', 'is', null);
  const matching = open.where('email', '=', email.toLowerCase());
  await (accountId === undefined ? matching : matching.where('account_id', '=', accountId)).execute();
}

/** Withdraws the invitations and reset links that an actor created. Of one account or organisation, or of all. */
export async function withdrawLinksBy(db: Kysely<Database>, createdBy: string, of?: LinkOwner): Promise<void> {
  const open = db.deleteFrom('console_links').where('created_by', '=', createdBy).where('used_at', 'is', null);
  await (of === undefined ? open : open.where((link) => link.and(ownerOf(of)))).execute();
}

/** Withdraws the ways back for a user who loses a role: links that the user created, and invitations to the user. */
export async function withdrawLinksOf(db: Kysely<Database>, email: string, scope: InvitationScope): Promise<void> {
  await withdrawLinksBy(db, email, 'operators' in scope ? undefined : scope);
  const open = db.deleteFrom('console_links').where('email', '=', email.toLowerCase()).where('used_at', 'is', null);
  await open.where((link) => link.and(invitationsTo(scope))).execute();
}

/**
 * Whether the actor who created an invitation could still create it. Check it when the link is opened and again when it
 * is used: the actor may have lost the role in the meantime.
 */
export async function mayStillInvite(db: Kysely<Database>, createdBy: string, purpose: Invitation): Promise<boolean> {
  if (createdBy === commandActor) return true;
  const tokens = db.selectFrom('admin_tokens').select('revoked_at').where('id', '=', createdBy);
  const token = await tokens.executeTakeFirst();
  if (token) return token.revoked_at === null;
  const user = await userByEmail(db, createdBy);
  if (!user) return false;
  const operator = await operatorRoleOf(db, user.id);
  if (operator === 'owner') return true;
  if (purpose.kind === 'operator') return false;
  if (operator === 'operator') return true;
  if (purpose.kind === 'organisation') {
    const roles = await organisationsOfUser(db, user.id);
    return roles.some(({ organisationId: id, role }) => id === purpose.organisationId && role === 'owner');
  }
  const roles = await membershipsOf(db, user.id);
  return roles.some(({ accountId: id, role }) => id === purpose.accountId && role === 'owner');
}

/** The actor of commands. They need access to the machine. */
const commandActor = 'cli';

export async function withdrawLink(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('console_links').where('id', '=', id).execute();
}

type LinkRow = Selectable<Database['console_links']>;

function usable(db: Kysely<Database>, clock: Clock) {
  return db.selectFrom('console_links').selectAll().where('used_at', 'is', null).where('expires_at', '>', clock.now());
}

function fromRow(row: LinkRow): OneTimeLink {
  const { id, created_by: createdBy, created_at: createdAt, expires_at: expiresAt } = row;
  return { id, purpose: purposeOf(row), createdBy, createdAt, expiresAt };
}

/** The `role` of a reset that the user requested. */
const ownReset = 'own';

const resetPurposes = resettable.map((resets) => `reset-${resets}` as const);

/** The purpose as columns. `role` is the role that the link grants, or the right by which a reset was created. */
function rowOf(purpose: LinkPurpose): Pick<LinkRow, 'purpose' | 'role' | 'account_id' | 'organisation_id'> {
  return { account_id: null, organisation_id: null, ...purposeColumns(purpose) };
}

function purposeColumns(
  purpose: LinkPurpose,
): Pick<LinkRow, 'purpose' | 'role'> & Partial<Pick<LinkRow, 'account_id' | 'organisation_id'>> {
  if (purpose.kind === 'setup') return { purpose: 'setup', role: 'owner' };
  if (purpose.kind !== 'reset') {
    return {
      purpose: purpose.kind,
      role: purpose.role,
      ...(purpose.kind === 'account' && { account_id: purpose.accountId }),
      ...(purpose.kind === 'organisation' && { organisation_id: purpose.organisationId }),
    };
  }
  const { right, resets } = purpose;
  if ('isOwn' in right) return { purpose: `reset-${resets}`, role: ownReset };
  return 'operator' in right
    ? { purpose: `reset-${resets}`, role: right.operator }
    : { purpose: `reset-${resets}`, role: 'account', account_id: right.accountId };
}

function purposeOf({
  purpose,
  email,
  role,
  account_id: accountId,
  organisation_id: organisation,
}: LinkRow): LinkPurpose {
  if (purpose === 'setup' || email === null) return { kind: 'setup' };
  if (purpose === 'account') {
    return { kind: purpose, email, role: role as MemberRole, accountId: accountId as AccountId };
  }
  if (purpose === 'organisation') {
    const organisationId = organisation as OrganisationId;
    return { kind: purpose, email, role: role as OrganisationRole, organisationId };
  }
  const operator = operatorRoles.find((each) => each === role) ?? 'read-only';
  if (purpose === 'operator') return { kind: purpose, email, role: operator };
  const resets = resettable[resetPurposes.indexOf(purpose)] ?? 'password';
  if (role === ownReset) return { kind: 'reset', email, resets, right: { isOwn: true } };
  const right = accountId === null ? { operator } : { accountId: accountId as AccountId };
  return { kind: 'reset', email, resets, right };
}
