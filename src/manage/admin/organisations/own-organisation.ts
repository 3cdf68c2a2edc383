import { z } from 'zod';
import { accounts } from '../../../money/accounts/accounts.ts';
import {
  changeOrganisationRole,
  organisationMembers,
  organisationRoles,
  removeOrganisationMember,
} from '../../../money/accounts/organisation-members.ts';
import { memberRoles, membershipsOf } from '../../../money/accounts/members.ts';
import { withdrawLinksOf } from '../../../money/accounts/one-time-links.ts';
import { accountDocuments, accountReply } from '../accounts/accounts.ts';
import { type AdminCaller, managedOrganisation, ownOrganisation } from '../api/caller.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { Versioned } from '../api/versioned.ts';
import type { AdminParts } from '../parts.ts';
import {
  invitationList,
  invitationListReply,
  invitationReply,
  invite,
  invitedEmail,
  madeInvitationReply,
  withdrawInvitation,
} from '../people/invitation-documents.ts';
import { issuedBy, issuedEntry, issuedFields } from '../people/issued-documents.ts';
import { roleHolders } from '../people/role-holders.ts';
import { organisationAt, organisationDocument, organisationReply } from '../accounts/organisation-documents.ts';

const role = z
  .enum(organisationRoles)
  .describe(
    '`owner`: the rights of an owner in each account of the organisation, and its members. `viewer`: read-only in each account.',
  );

export const holders = roleHolders(role, 'member');
export const memberListReply = { name: 'OrganisationMemberList', schema: holders.listSchema };
const memberReply = { name: 'OrganisationMember', schema: holders.schema };

const removedMemberReply = {
  name: 'RemovedOrganisationMember',
  schema: holders.schema.extend({
    ...issuedFields,
    accounts: z
      .array(z.strictObject({ id: z.string(), role: z.enum(memberRoles) }))
      .describe('Accounts of the organisation to which the user still belongs: remove the user there too.'),
  }),
  inside: [issuedEntry],
};

export const newInvitationBody = {
  name: 'NewOrganisationInvitation',
  schema: z.strictObject({ email: invitedEmail, role }),
};

const versionedMember: Versioned = {
  kind: 'member',
  lock: 'members',
  current: (parts, id, caller) => memberAt(parts, caller, id),
};

/** Endpoints for members of an organisation: the one in `x-organisation`, or the caller's first. */
export const ownOrganisationEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/organisation', 'getOwnOrganisation', 'organisation', {
    summary: 'Get your organisation. Name it in `x-organisation` if you belong to several.',
    reply: organisationReply,
    run: async ({ parts, caller }) => organisationDocument(parts, await organisationAt(parts, ownOrganisation(caller))),
  }),
  readEndpoint('GET /account/v1/organisation/accounts', 'listOrganisationAccounts', 'organisation', {
    summary: 'List the accounts of your organisation, by name.',
    query: z.strictObject(pageQuery(z.string().max(64))),
    reply: pageOf(accountReply),
    run: async ({ parts, caller, query: { limit, cursor: after } }) => {
      const part = { organisationId: ownOrganisation(caller), ...(after && { after }), limit: limit + 1 };
      const rows = await accounts(parts.store, parts.clock).list(part);
      const { data, next } = page(rows, limit, { shown: (account) => account, position: ({ name }) => name });
      return { data: [...(await accountDocuments(parts, data))], next };
    },
  }),
  readEndpoint('GET /account/v1/organisation/members', 'listOwnOrganisationMembers', 'organisation', {
    summary: 'List the members of your organisation, oldest membership first.',
    reply: memberListReply,
    run: ({ parts, caller }) => holders.list(organisationMembers(parts.store.db, ownOrganisation(caller))),
  }),
  readEndpoint('GET /account/v1/organisation/members/:id', 'getOrganisationMember', 'organisation', {
    summary: 'Get a member of your organisation.',
    reply: memberReply,
    run: ({ parts, caller, id }) => memberAt(parts, caller, id),
  }),
  writeEndpoint('PATCH /account/v1/organisation/members/:id', 'changeOrganisationMember', 'organisation', {
    versioned: versionedMember,
    summary: 'Change the role of a member of your organisation. The last owner must stay an owner.',
    body: { name: 'OrganisationMemberChange', schema: z.strictObject({ role }) },
    reply: memberReply,
    run: async ({ parts, caller, id: userId, body }) => {
      const organisationId = managedOrganisation(caller);
      const changed = await changeOrganisationRole(parts.store, { id: organisationId, userId, ...body });
      if (changed) await withdrawLinksOf(parts.store.db, changed.before.email, { organisationId });
      return holders.changed(changed);
    },
  }),
  writeEndpoint('DELETE /account/v1/organisation/members/:id', 'removeOrganisationMember', 'organisation', {
    summary:
      'Remove a member from your organisation, effective immediately. Keys that count for the member are revoked, unless the member also belongs to their account. Open invitations by and to the member end. Other keys that the member knows stay, as do webhook endpoints and memberships of accounts. They are listed. The last owner cannot be removed.',
    reply: removedMemberReply,
    run: async ({ parts, caller, id: userId }) => {
      const { store, clock } = parts;
      const organisationId = managedOrganisation(caller);
      const removed = await removeOrganisationMember(store, clock, { id: organisationId, userId });
      if (removed) await withdrawLinksOf(store.db, removed.email, { organisationId });
      const { reply, change } = holders.removed(removed);
      const accountIds = (await accounts(store, clock).list({ organisationId })).map(({ id }) => id);
      const own = (await membershipsOf(store.db, userId)).filter(({ accountId }) => accountIds.includes(accountId));
      const still = {
        ...(await issuedBy(parts, reply.email, { accountIds })),
        accounts: own.map(({ accountId, role: has }) => ({ id: accountId, role: has })),
      };
      return { reply: { ...reply, ...still }, change };
    },
  }),
  readEndpoint('GET /account/v1/organisation/invitations', 'listOwnOrganisationInvitations', 'organisation', {
    summary: 'List the open invitations to your organisation.',
    reply: invitationListReply,
    run: ({ parts, caller }) => invitationList(parts, { organisationId: ownOrganisation(caller) }),
  }),
  writeEndpoint('POST /account/v1/organisation/invitations', 'inviteOrganisationMember', 'organisation', {
    summary: 'Invite a member to your organisation. The link works once, for seven days.',
    body: newInvitationBody,
    reply: madeInvitationReply,
    run: ({ parts, caller, body, address }) => {
      const organisationId = managedOrganisation(caller);
      return invite(parts, caller, { kind: 'organisation', organisationId, ...body }, address);
    },
  }),
  writeEndpoint('DELETE /account/v1/organisation/invitations/:id', 'withdrawOrganisationInvitation', 'organisation', {
    summary: 'Withdraw an invitation to your organisation.',
    reply: invitationReply,
    run: ({ parts, caller, id }) => withdrawInvitation(parts, id, { organisationId: managedOrganisation(caller) }),
  }),
];

function memberAt({ store }: AdminParts, caller: AdminCaller, userId: string) {
  return holders.at(organisationMembers(store.db, ownOrganisation(caller)), userId);
}
