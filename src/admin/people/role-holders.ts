import { z } from 'zod';
import type { RoleHolder } from '../../accounts/last-owner.ts';
import { contentVersion } from '../../core/content-version.ts';
import { missing } from '../api/sent-values.ts';
import { isoTime, timeSchema, versionSchema } from '../api/wire.ts';
import { changeRole, type Member, memberRoles, membersOf, removeMember } from '../../accounts/members.ts';
import { withdrawResets } from '../../accounts/one-time-links.ts';
import { accountAt } from '../accounts/accounts.ts';
import { type AdminCaller, managedAccount, ownAccount } from '../api/caller.ts';
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
import type { Store } from '../../store/store.ts';
import type { Versioned } from '../api/versioned.ts';
import { changeOperatorRole, listOperators, operatorRoles, removeOperator } from '../../accounts/operators.ts';

const memberRole = z
  .enum(memberRoles)
  .describe('`owner`: everything. `member`: everything except managing members. `viewer`: read-only.');

const members = roleHolders(memberRole, 'member');

const versionedMember: Versioned = {
  kind: 'member',
  lock: 'members',
  current: ({ store }, id, caller) => memberAt(store, ownAccount(caller), id),
};

/** The members of an account. Only its owners manage them. */
export const memberEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/members', 'listMembers', 'account', {
    summary: 'List the members of your account, oldest membership first.',
    reply: { name: 'MemberList', schema: members.listSchema },
    run: ({ parts, caller }) => members.list(membersOf(parts.store.db, ownAccount(caller))),
  }),
  readEndpoint('GET /account/v1/members/:id', 'getMember', 'account', {
    summary: 'Get a member of your account.',
    reply: { name: 'Member', schema: members.schema },
    run: ({ parts: { store }, caller, id }) => memberAt(store, ownAccount(caller), id),
  }),
  writeEndpoint('PATCH /account/v1/members/:id', 'changeMember', 'account', {
    versioned: versionedMember,
    summary: 'Change the role of a member. The last owner must stay an owner.',
    body: { name: 'MemberChange', schema: z.strictObject({ role: memberRole }) },
    reply: { name: 'Member', schema: members.schema },
    run: async ({ parts, caller, id, body }) => {
      const accountId = manager(caller);
      const changed = await changeRole(parts.store, { accountId, userId: id, ...body });
      if (changed && body.role !== 'owner') await withdrawResetsOf(parts, changed.before, accountId);
      return members.changed(changed);
    },
  }),
  writeEndpoint('POST /account/v1/members/:id/reset', 'resetMember', 'account', {
    summary: 'Create a link with which a member can sign in again. It works once, for three hours.',
    body: newResetBody,
    reply: madeResetReply,
    run: async ({ parts, caller, id, body, address }) => {
      const accountId = manager(caller);
      await memberAt(parts.store, accountId, id);
      return makeReset(parts, caller, { userId: id, right: { accountId }, address, ...body });
    },
  }),
  writeEndpoint('DELETE /account/v1/members/:id', 'removeMember', 'account', {
    summary: 'Remove a member from your account, effective immediately. The last owner cannot be removed.',
    reply: { name: 'Member', schema: members.schema },
    run: async ({ parts, caller, id }) => {
      const accountId = manager(caller);
      const member = await removeMember(parts.store, accountId, id);
      if (member) await withdrawResetsOf(parts, member, accountId);
      return members.removed(member);
    },
  }),
  readEndpoint('GET /account/v1/invitations', 'listInvitations', 'account', {
    summary: 'List the open invitations to your account.',
    reply: invitationListReply,
    run: ({ parts, caller }) => invitationList(parts, ownAccount(caller)),
  }),
  writeEndpoint('POST /account/v1/invitations', 'inviteMember', 'account', {
    summary: 'Invite a member: create a link to your account. It works once, for seven days.',
    body: { name: 'NewInvitation', schema: z.strictObject({ email: invitedEmail, role: memberRole }) },
    reply: madeInvitationReply,
    run: ({ parts, caller, body, address }) =>
      invite(parts, caller, { kind: 'account', accountId: manager(caller), ...body }, address),
  }),
  writeEndpoint('POST /admin/v1/accounts/:id/invitations', 'inviteToAccount', 'operator', {
    summary:
      'Invite a member to an account, such as the first owner of a new one. The link works once, for seven days.',
    body: { name: 'NewInvitation', schema: z.strictObject({ email: invitedEmail, role: memberRole }) },
    reply: madeInvitationReply,
    run: async ({ parts, caller, id, body, address }) =>
      invite(parts, caller, { kind: 'account', accountId: (await accountAt(parts, id)).id, ...body }, address),
  }),
  writeEndpoint('DELETE /account/v1/invitations/:id', 'withdrawInvitation', 'account', {
    summary: 'Withdraw an invitation.',
    reply: invitationReply,
    run: ({ parts, caller, id }) => withdrawInvitation(parts, id, manager(caller)),
  }),
];

/** Reset links that a former owner created must stop working. */
async function withdrawResetsOf({ store }: AdminParts, { email }: Member, accountId: AccountId): Promise<void> {
  await withdrawResets(store.db, { createdBy: email }, accountId);
}

function memberAt({ db }: Store, accountId: AccountId, id: string) {
  return members.at(membersOf(db, accountId), id);
}

function manager(caller: AdminCaller): AccountId {
  return managedAccount(caller, 'members_need_owner');
}

const operatorRole = z.enum(operatorRoles);
const operators = roleHolders(operatorRole, 'operator');

const versionedOperator: Versioned = {
  kind: 'operator',
  lock: 'operators',
  current: ({ store }, id) => operatorAt(store, id),
};

/** The operators of the gateway. Only owners manage them. */
export const operatorEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/operators', 'listOperators', 'owner', {
    summary: 'List the operators of the gateway, oldest first.',
    reply: { name: 'OperatorList', schema: operators.listSchema },
    run: ({ parts }) => operators.list(listOperators(parts.store.db)),
  }),
  writeEndpoint('PATCH /admin/v1/operators/:id', 'changeOperator', 'owner', {
    versioned: versionedOperator,
    summary: 'Change the role of an operator. The last owner must stay an owner.',
    body: { name: 'OperatorChange', schema: z.strictObject({ role: operatorRole }) },
    reply: { name: 'Operator', schema: operators.schema },
    run: async ({ parts: { store }, id, body }) => {
      const changed = await changeOperatorRole(store, { userId: id, ...body });
      // Reset links that the operator created with a higher role must stop working.
      if (changed) await withdrawResets(store.db, { createdBy: changed.before.email });
      return operators.changed(changed);
    },
  }),
  writeEndpoint('DELETE /admin/v1/operators/:id', 'removeOperator', 'owner', {
    summary: 'Remove an operator, effective immediately. The last owner cannot be removed.',
    reply: { name: 'Operator', schema: operators.schema },
    run: async ({ parts: { store }, id }) => {
      const operator = await removeOperator(store, id);
      if (operator) await withdrawResets(store.db, { createdBy: operator.email });
      return operators.removed(operator);
    },
  }),
  readEndpoint('GET /admin/v1/operators/invitations', 'listOperatorInvitations', 'owner', {
    summary: 'List the open invitations for operators.',
    reply: invitationListReply,
    run: ({ parts }) => invitationList(parts, undefined),
  }),
  readEndpoint('GET /admin/v1/operators/:id', 'getOperator', 'owner', {
    summary: 'Get an operator.',
    reply: { name: 'Operator', schema: operators.schema },
    run: ({ parts: { store }, id }) => operatorAt(store, id),
  }),
  writeEndpoint('POST /admin/v1/operators/invitations', 'inviteOperator', 'owner', {
    summary: 'Invite an operator: create a link that works once, for seven days.',
    body: { name: 'NewOperatorInvitation', schema: z.strictObject({ email: invitedEmail, role: operatorRole }) },
    reply: madeInvitationReply,
    run: ({ parts, caller, body, address }) => invite(parts, caller, { kind: 'operator', ...body }, address),
  }),
  writeEndpoint('DELETE /admin/v1/operators/invitations/:id', 'withdrawOperatorInvitation', 'owner', {
    summary: 'Withdraw an invitation for an operator.',
    reply: invitationReply,
    run: ({ parts, id }) => withdrawInvitation(parts, id, undefined),
  }),
];

function operatorAt({ db }: Store, id: string) {
  return operators.at(listOperators(db), id);
}

/** Schemas, documents and outcomes of members or operators. */
function roleHolders<Role extends z.ZodType<string, string>>(role: Role, kind: 'member' | 'operator') {
  type Holder = RoleHolder<z.output<Role>>;
  const base = { id: z.string(), email: z.string(), name: z.string() };
  const schema = z.strictObject({ ...base, role, since: timeSchema, version: versionSchema });
  const shown = ({ userId: id, email, name, role: has, createdAt }: Holder) => {
    // Only the role can be changed here.
    const version = contentVersion({ id, role: has });
    return { id, email, name, role: has, since: isoTime(createdAt), version };
  };
  return {
    schema,
    listSchema: z.strictObject({ data: z.array(schema) }),
    list: async (all: Promise<readonly Holder[]>) => ({ data: (await all).map(shown) }),
    at: async (all: Promise<readonly Holder[]>, id: string) => {
      const holder = (await all).find(({ userId }) => userId === id);
      if (!holder) throw missing(kind);
      return shown(holder);
    },
    changed: (holder: { readonly before: Holder; readonly after: Holder } | undefined) => {
      if (!holder) throw missing(kind);
      const [before, after] = [shown(holder.before), shown(holder.after)];
      const change = before.role === after.role ? undefined : { kind, id: after.id, before, after };
      return { reply: after, change };
    },
    removed: (holder: Holder | undefined) => {
      if (!holder) throw missing(kind);
      const before = shown(holder);
      return { reply: before, change: { kind, id: before.id, before } };
    },
  };
}
