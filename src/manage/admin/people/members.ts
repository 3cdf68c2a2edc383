import { z } from 'zod';
import type { AccountId } from '../../../money/accounts/ids.ts';
import { changeMember, type Member, memberRoles, membersOf, removeMember } from '../../../money/accounts/members.ts';
import { withdrawLinksOf } from '../../../money/accounts/one-time-links.ts';
import { keyModels, maxConcurrency } from '../../../platform/config/schema/key-limits.ts';
import { spendLimits } from '../../../platform/config/schema/spend-limit.ts';
import { accountAt } from '../accounts/accounts.ts';
import { type AdminCaller, managedAccount, ownAccount } from '../api/caller.ts';
import { type Endpoint, readEndpoint, type WriteOutcome, writeEndpoint } from '../api/endpoint.ts';
import { missing } from '../api/sent-values.ts';
import type { Versioned } from '../api/versioned.ts';
import { recordFrom } from '../api/wire.ts';
import type { AdminParts } from '../parts.ts';
import {
  invitationList,
  invitationListReply,
  invitationReply,
  invite,
  invitedEmail,
  madeInvitationReply,
  withdrawInvitation,
} from './invitation-documents.ts';
import { issuedBy } from './issued-documents.ts';
import {
  type MemberDocument,
  memberContent,
  memberDocument,
  memberDocuments,
  memberListReply,
  memberReply,
  removedMemberReply,
} from './member-documents.ts';
import { madeResetReply, makeReset, newResetBody } from './reset-documents.ts';

const role = z
  .enum(memberRoles)
  .describe(
    '`owner`: everything. `member`: reads everything, and changes only keys that count for the member. `viewer`: read-only.',
  );

const newInvitationBody = { name: 'NewInvitation', schema: z.strictObject({ email: invitedEmail, role }) };

const changeFields = {
  role: role.optional(),
  limits: spendLimits.optional().describe('Limits on the spend of their keys. `[]`: none.'),
  models: keyModels.nullable().optional().describe('Ids, aliases or patterns. Null: no limit of their own.'),
  max_concurrency: maxConcurrency.nullable().optional().describe('Requests served at once. Null: no limit.'),
};

const versionedMember: Versioned = {
  kind: 'member',
  lock: 'members',
  current: async ({ store }, id, caller) => memberContent(await memberAt({ store }, ownAccount(caller), id)),
};

/** The members of an account. Only its owners manage them. */
export const memberEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/members', 'listMembers', 'account', {
    summary: 'List the members of your account, oldest membership first.',
    reply: memberListReply,
    run: async ({ parts, caller }) => memberList(parts, ownAccount(caller)),
  }),
  readEndpoint('GET /account/v1/members/:id', 'getMember', 'account', {
    summary: 'Get a member of your account.',
    reply: memberReply,
    run: async ({ parts, caller, id }) => {
      const accountId = ownAccount(caller);
      return memberDocument(parts, accountId, await memberAt(parts, accountId, id));
    },
  }),
  writeEndpoint('PATCH /account/v1/members/:id', 'changeMember', 'account', {
    versioned: versionedMember,
    summary:
      'Change the role, limits or models of a member. Fields that are left out stay unchanged. The last owner must stay an owner.',
    body: { name: 'MemberChange', schema: z.strictObject(changeFields) },
    reply: memberReply,
    run: ({ parts, caller, id: userId, body }) =>
      changed(parts, { ...recordFrom(body), accountId: manager(caller), userId }),
  }),
  writeEndpoint('POST /account/v1/members/:id/reset', 'resetMember', 'account', {
    summary: 'Create a link with which a member can sign in again. It works once, for three hours.',
    body: newResetBody,
    reply: madeResetReply,
    run: async ({ parts, caller, id, body, address }) => {
      const accountId = manager(caller);
      await memberAt(parts, accountId, id);
      return makeReset(parts, caller, { userId: id, right: { accountId }, address, ...body });
    },
  }),
  writeEndpoint('DELETE /account/v1/members/:id', 'removeMember', 'account', {
    summary:
      'Remove a member from your account, effective immediately, and revoke the keys that count for the member. The member’s open invitations and reset links end, and open invitations to the member. Other keys that the member knows stay, as do webhook endpoints. Both are listed. The last owner cannot be removed.',
    reply: removedMemberReply,
    run: async ({ parts, caller, id: userId }) => {
      const accountId = manager(caller);
      const before = await memberDocument(parts, accountId, await memberAt(parts, accountId, userId));
      const member = await removeMember(parts.store, parts.clock, { accountId, userId });
      if (!member) throw missing('member');
      await withdrawLinksOf(parts.store.db, member.email, { accountId });
      const reply = { ...before, ...(await issuedBy(parts, member.email, { accountIds: [accountId] })) };
      return { reply, change: { kind: 'member', id: userId, before: memberContent(member) } };
    },
  }),
  readEndpoint('GET /account/v1/invitations', 'listInvitations', 'account', {
    summary: 'List the open invitations to your account.',
    reply: invitationListReply,
    run: ({ parts, caller }) => invitationList(parts, { accountId: ownAccount(caller) }),
  }),
  writeEndpoint('POST /account/v1/invitations', 'inviteMember', 'account', {
    summary: 'Invite a member: create a link to your account. It works once, for seven days.',
    body: newInvitationBody,
    reply: madeInvitationReply,
    run: ({ parts, caller, body, address }) =>
      invite(parts, caller, { kind: 'account', accountId: manager(caller), ...body }, address),
  }),
  writeEndpoint('DELETE /account/v1/invitations/:id', 'withdrawInvitation', 'account', {
    summary: 'Withdraw an invitation.',
    reply: invitationReply,
    run: ({ parts, caller, id }) => withdrawInvitation(parts, id, { accountId: manager(caller) }),
  }),
  readEndpoint('GET /admin/v1/accounts/:id/members', 'listAccountMembers', 'read-only', {
    summary: 'List the members of an account, oldest membership first.',
    reply: memberListReply,
    run: async ({ parts, id }) => memberList(parts, (await accountAt(parts, id)).id),
  }),
  writeEndpoint('PATCH /admin/v1/accounts/:id/members', 'changeAccountMember', 'operator', {
    summary: 'Change the role, limits or models of a member of an account. Fields that are left out stay unchanged.',
    body: {
      name: 'AccountMemberChange',
      schema: z.strictObject({ member: z.string().max(64).describe('Id of the member.'), ...changeFields }),
    },
    reply: memberReply,
    run: async ({ parts, id, body: { member: userId, ...change } }) => {
      const accountId = (await accountAt(parts, id)).id;
      const outcome = await changed(parts, { ...recordFrom(change), accountId, userId });
      return { ...outcome, change: outcome.change && { ...outcome.change, accounts: [accountId] } };
    },
  }),
  writeEndpoint('POST /admin/v1/accounts/:id/invitations', 'inviteToAccount', 'operator', {
    summary:
      'Invite a member to an account, such as the first owner of a new one. The link works once, for seven days.',
    body: newInvitationBody,
    reply: madeInvitationReply,
    run: async ({ parts, caller, id, body, address }) =>
      invite(parts, caller, { kind: 'account', accountId: (await accountAt(parts, id)).id, ...body }, address),
  }),
];

async function memberList(parts: AdminParts, accountId: AccountId) {
  return { data: await memberDocuments(parts, accountId, await membersOf(parts.store.db, accountId)) };
}

async function changed(
  parts: AdminParts,
  change: Parameters<typeof changeMember>[1] & { readonly accountId: AccountId },
): Promise<WriteOutcome<MemberDocument>> {
  const member = await changeMember(parts.store, change);
  if (!member) throw missing('member');
  const [before, after] = [memberContent(member.before), memberContent(member.after)];
  if (member.before.role !== member.after.role && member.after.role !== 'owner') {
    await withdrawLinksOf(parts.store.db, member.before.email, { accountId: change.accountId });
  }
  const reply = await memberDocument(parts, change.accountId, member.after);
  return {
    reply,
    ...(before.version !== after.version && { change: { kind: 'member', id: after.id, before, after } }),
  };
}

async function memberAt({ store }: Pick<AdminParts, 'store'>, accountId: AccountId, id: string): Promise<Member> {
  const member = (await membersOf(store.db, accountId)).find(({ userId }) => userId === id);
  if (!member) throw missing('member');
  return member;
}

function manager(caller: AdminCaller): AccountId {
  return managedAccount(caller, 'members_need_owner');
}
