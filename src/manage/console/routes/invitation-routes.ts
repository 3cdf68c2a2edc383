import { z } from 'zod';
import { accounts } from '../../../money/accounts/accounts.ts';
import { addMember } from '../../../money/accounts/members.ts';
import {
  type Invitation,
  mayStillInvite,
  type OneTimeLink,
  type OpenedLink,
  openLink,
  useLink,
} from '../../../money/accounts/one-time-links.ts';
import { addOrganisationMember } from '../../../money/accounts/organisation-members.ts';
import { findOrganisation } from '../../../money/accounts/organisations.ts';
import { addOperator } from '../../../money/accounts/operators.ts';
import { listPeople } from '../../../money/accounts/people.ts';
import {
  createUser,
  forgetSignIns,
  forgetUnverified,
  setPassword,
  type User,
  userByEmail,
  markVerified,
} from '../../../money/accounts/users.ts';
import { type AuditChange, recordChange, sentFrom } from '../../admin/api/audit.ts';
import { refused } from '../../admin/api/sent-values.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Exchange } from '../../../serving/http/exchange.ts';
import type { Route } from '../../../serving/http/route.ts';
import { joined } from '../../../platform/store/joined.ts';
import type { Store } from '../../../platform/store/store.ts';
import { invalidLink, readingRoute, sentFields, writingRoute } from './console-route.ts';
import type { AuthContext } from '../auth-context.ts';
import type { ConsoleParts } from '../parts.ts';
import type { Identity } from '../identity.ts';
import { passwordSignIn } from '../password-sign-in.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

/** Creates users by a setup link, as owner of the gateway, or by an invitation. */
export function invitationRoutes(parts: ConsoleParts, auth: AuthContext): readonly Route[] {
  const { store, clock } = parts;
  return [
    readingRoute('/auth/setup/:id', async ({ id }) => {
      await setupLinkOf(parts, id);
      const [known] = await listPeople(store.db, { limit: 1 });
      return { value: { is_first: known === undefined } };
    }),
    setupRoute(parts, auth),
    readingRoute('/auth/invitations/:id', async ({ id }) => {
      const { link, purpose } = await invitationOf(parts, id);
      const account = purpose.kind === 'account' ? await accounts(store, clock).find(purpose.accountId) : undefined;
      const organisation =
        purpose.kind === 'organisation' ? await findOrganisation(store.db, purpose.organisationId) : undefined;
      const known = await userByEmail(store.db, purpose.email);
      const { email, role } = purpose;
      const names = {
        account: account?.name ?? null,
        organisation: organisation ? (organisation.displayName ?? organisation.name) : null,
      };
      return { value: { email, role, ...names, has_user: known !== undefined && !isReclaimed(known, link) } };
    }),
    acceptRoute(parts, auth),
  ];
}

function setupRoute(parts: ConsoleParts, auth: AuthContext): Route {
  const { store, clock } = parts;
  return writingRoute({ path: '/auth/setup', body: setup }, async ({ exchange, body }) => {
    const { token, email, name, password } = body;
    const link = await setupLinkOf(parts, token);
    const passwordHash = await auth.identity.passwords.hash(password);
    await follow(parts, { exchange, link }, async (inside) => {
      const known = await userByEmail(inside.db, email);
      // Creating a setup link needs access to the machine. An owner who cannot sign in any more starts over with it.
      if (known) {
        await forgetSignIns(inside.db, known.id);
        await setPassword(inside.db, clock, { userId: known.id, passwordHash });
      }
      const user = known ?? (await createUser(inside.db, clock, { email, name, passwordHash, isVerified: true }));
      await addOperator(inside, clock, { userId: user.id, role: 'owner' });
      const demo = await accounts(inside, clock).find('demo');
      if (demo) await addMember(inside, clock, { accountId: demo.id, userId: user.id, role: 'owner' });
      return { kind: 'user', id: user.id, after: { email: user.email, operator: 'owner' }, email: user.email };
    });
    return passwordSignIn(store, auth, { exchange, email, password });
  });
}

function acceptRoute(parts: ConsoleParts, auth: AuthContext): Route {
  const { store, clock } = parts;
  const { identity } = auth;
  return writingRoute({ path: '/auth/invitations/:id/accept', body: accept }, async ({ exchange, id, body }) => {
    const { link, purpose } = await invitationOf(parts, id);
    const known = await userByEmail(store.db, purpose.email);
    const isSignedIn = known !== undefined && !isReclaimed(known, link);
    if (isSignedIn) await requireSelf(identity, exchange, known);
    const { name, password } = body;
    if (!isSignedIn && (name === undefined || password === undefined)) {
      throw refused(reason('name_and_password_missing'));
    }
    const passwordHash = password === undefined || isSignedIn ? '' : await identity.passwords.hash(password);
    await follow(parts, { exchange, link }, async (inside) => {
      if (!(await mayStillInvite(inside.db, link.createdBy, purpose))) throw invalidLink();
      const made = { email: purpose.email, name: name ?? purpose.email, passwordHash, isVerified: link.isMailed };
      const { id: userId } = known ?? (await createUser(inside.db, clock, made));
      if (known && !isSignedIn) {
        await forgetUnverified(inside.db, userId);
        await setPassword(inside.db, clock, { userId, passwordHash });
      }
      if (link.isMailed) await markVerified(inside.db, userId);
      if (purpose.kind === 'operator') await addOperator(inside, clock, { userId, role: purpose.role });
      else if (purpose.kind === 'account') await addMember(inside, clock, { ...purpose, userId });
      else await addOrganisationMember(inside, clock, { id: purpose.organisationId, userId, role: purpose.role });
      const { email, kind: to, role } = purpose;
      const accounts = purpose.kind === 'account' ? [purpose.accountId] : [];
      return { kind: 'user', id: userId, after: { email, to, role }, accounts, email };
    });
    if (isSignedIn || password === undefined) return { value: { next: 'done' } };
    return passwordSignIn(store, auth, { exchange, email: purpose.email, password });
  });
}

/**
 * Whether the reader of the e-mail takes over a user who never confirmed the address: the user who chose the password may be
 * another person. The link that the inviter sees confirms nothing.
 */
function isReclaimed({ isVerified }: User, { isMailed }: OpenedLink): boolean {
  return isMailed && !isVerified;
}

async function linkOf(parts: ConsoleParts, secret: string): Promise<OpenedLink> {
  const link = await openLink(parts, secret);
  if (!link) throw invalidLink();
  return link;
}

async function invitationOf(parts: ConsoleParts, secret: string): Promise<{ link: OpenedLink; purpose: Invitation }> {
  const link = await linkOf(parts, secret);
  const { purpose } = link;
  if (purpose.kind === 'setup' || purpose.kind === 'reset') throw invalidLink();
  if (!(await mayStillInvite(parts.store.db, link.createdBy, purpose))) throw invalidLink();
  return { link, purpose };
}

async function setupLinkOf(parts: ConsoleParts, secret: string): Promise<OpenedLink> {
  const link = await linkOf(parts, secret);
  if (link.purpose.kind !== 'setup') throw invalidLink();
  return link;
}

/** Uses the link up, runs `work` and writes the audit line, in one transaction. */
async function follow(
  { store, clock }: ConsoleParts,
  { exchange, link }: { readonly exchange: Exchange; readonly link: OneTimeLink },
  work: (inside: Store) => Promise<AuditChange & { email: string }>,
): Promise<void> {
  await store.transaction(async (tx) => {
    const inside = joined(store, tx);
    if (!(await useLink(tx, clock, link))) throw invalidLink();
    const { email, ...change } = await work(inside);
    const action = link.purpose.kind === 'setup' ? 'setUpOwner' : 'acceptInvitation';
    const by = { at: clock.now(), actor: email, role: sideOf(link), action, ...sentFrom(exchange) };
    await recordChange(inside, change, by);
  });
}

/** The role in the audit line: that of an operator, `account` or `organisation`. */
function sideOf({ purpose }: OneTimeLink): string {
  if (purpose.kind === 'setup') return 'owner';
  if (purpose.kind === 'operator') return purpose.role;
  return purpose.kind === 'organisation' ? 'organisation' : 'account';
}

const setup = z.strictObject({
  token: sentFields.token,
  email: sentFields.email,
  name: sentFields.name,
  password: sentFields.newPassword,
});
const accept = z.strictObject({ name: sentFields.name.optional(), password: sentFields.newPassword.optional() });

/** An existing user must be signed in: another person who has the link must not accept it for them. */
async function requireSelf(identity: Identity, exchange: Exchange, known: User): Promise<void> {
  const found = await identity.signedIn(exchange);
  if (found?.user.id === known.id) return;
  throw new GatewayError('not-signed-in', { reason: reason('invitation_for_other_user', { email: known.email }) });
}
