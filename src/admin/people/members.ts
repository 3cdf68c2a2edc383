import { z } from 'zod';
import { changeRole, type Member, memberRoles, membersOf, removeMember } from '../../accounts/members.ts';
import { withdrawResets } from '../../accounts/one-time-links.ts';
import { accountAt } from '../accounts/accounts.ts';
import { ownAccount, managedAccount } from '../api/caller.ts';
import type { AccountId } from '../../accounts/ids.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import {
  invitationList,
  invitationListReply,
  invitationReply,
  invite,
  invitedEmail,
  madeInvitationReply,
  withdrawInvitation,
} from './invitation-documents.ts';
import type { AdminParts } from '../parts.ts';
import { madeResetReply, makeReset, newResetBody } from './reset-documents.ts';
import { roleHolders } from './role-holders.ts';
import { missing } from '../api/sent-values.ts';
import type { Store } from '../../store/store.ts';
import type { Versioned } from '../api/versioned.ts';

const role = z
  .enum(memberRoles)
  .describe('`owner`: everything. `member`: everything except managing members. `viewer`: read-only.');

const { schema, shown: memberDocument, at } = roleHolders(role, 'member');

const versioned: Versioned = {
  kind: 'member',
  lock: 'members',
  current: ({ store }, id, caller) => memberAt(store, ownAccount(caller), id),
};

/** The members of an account. Only its owners manage them. */
export const memberEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/members', 'listMembers', 'account', {
    summary: 'List the members of your account, oldest membership first.',
    reply: { name: 'MemberList', schema: z.strictObject({ data: z.array(schema) }) },
    run: async ({ parts, caller }) => ({
      data: (await membersOf(parts.store.db, ownAccount(caller))).map(memberDocument),
    }),
  }),
  readEndpoint('GET /account/v1/members/:id', 'getMember', 'account', {
    summary: 'Get a member of your account.',
    reply: { name: 'Member', schema },
    run: ({ parts: { store }, caller, id }) => memberAt(store, ownAccount(caller), id),
  }),
  writeEndpoint('PATCH /account/v1/members/:id', 'changeMember', 'account', {
    versioned,
    summary: 'Change the role of a member. The last owner must stay an owner.',
    body: { name: 'MemberChange', schema: z.strictObject({ role }) },
    reply: { name: 'Member', schema },
    run: async ({ parts, caller, id, body }) => {
      const accountId = managedAccount(caller, 'members_need_owner');
      const changed = await changeRole(parts.store, { accountId, userId: id, ...body });
      if (!changed) throw missing('member');
      if (body.role !== 'owner') await withdrawResetsOf(parts, changed.before, accountId);
      const [before, after] = [memberDocument(changed.before), memberDocument(changed.after)];
      return { reply: after, change: before.role === after.role ? undefined : { kind: 'member', id, before, after } };
    },
  }),
  writeEndpoint('POST /account/v1/members/:id/reset', 'resetMember', 'account', {
    summary: 'Create a link with which a member can sign in again. It works once, for three hours.',
    body: newResetBody,
    reply: madeResetReply,
    run: async ({ parts, caller, id, body, address }) => {
      const accountId = managedAccount(caller, 'members_need_owner');
      const members = await membersOf(parts.store.db, accountId);
      if (!members.some(({ userId }) => userId === id)) throw missing('member');
      return makeReset(parts, caller, { userId: id, right: { accountId }, address, ...body });
    },
  }),
  writeEndpoint('DELETE /account/v1/members/:id', 'removeMember', 'account', {
    summary: 'Remove a member from your account, effective immediately. The last owner cannot be removed.',
    reply: { name: 'Member', schema },
    run: async ({ parts, caller, id }) => {
      const accountId = managedAccount(caller, 'members_need_owner');
      const member = await removeMember(parts.store, accountId, id);
      if (!member) throw missing('member');
      await withdrawResetsOf(parts, member, accountId);
      const before = memberDocument(member);
      return { reply: before, change: { kind: 'member', id, before } };
    },
  }),
  readEndpoint('GET /account/v1/invitations', 'listInvitations', 'account', {
    summary: 'List the open invitations to your account.',
    reply: invitationListReply,
    run: ({ parts, caller }) => invitationList(parts, ownAccount(caller)),
  }),
  writeEndpoint('POST /account/v1/invitations', 'inviteMember', 'account', {
    summary: 'Invite a member: create a link to your account. It works once, for seven days.',
    body: { name: 'NewInvitation', schema: z.strictObject({ email: invitedEmail, role }) },
    reply: madeInvitationReply,
    run: ({ parts, caller, body, address }) =>
      invite(
        parts,
        caller,
        { kind: 'account', accountId: managedAccount(caller, 'members_need_owner'), ...body },
        address,
      ),
  }),
  writeEndpoint('POST /admin/v1/accounts/:id/invitations', 'inviteToAccount', 'operator', {
    summary:
      'Invite a member to an account, such as the first owner of a new one. The link works once, for seven days.',
    body: { name: 'NewInvitation', schema: z.strictObject({ email: invitedEmail, role }) },
    reply: madeInvitationReply,
    run: async ({ parts, caller, id, body, address }) =>
      invite(parts, caller, { kind: 'account', accountId: (await accountAt(parts, id)).id, ...body }, address),
  }),
  writeEndpoint('DELETE /account/v1/invitations/:id', 'withdrawInvitation', 'account', {
    summary: 'Withdraw an invitation.',
    reply: invitationReply,
    run: ({ parts, caller, id }) => withdrawInvitation(parts, id, managedAccount(caller, 'members_need_owner')),
  }),
];

/** Reset links that a former owner created must stop working. */
async function withdrawResetsOf({ store }: AdminParts, { email }: Member, accountId: AccountId): Promise<void> {
  await withdrawResets(store.db, { createdBy: email }, accountId);
}

function memberAt({ db }: Store, accountId: AccountId, id: string) {
  return at(membersOf(db, accountId), id);
}
