import { z } from 'zod';
import { organisationMembers } from '../../../money/accounts/organisation-members.ts';
import { type Organisation, organisations } from '../../../money/accounts/organisations.ts';
import { name } from '../../../platform/config/schema/names.ts';
import { broken, reason } from 'chat-formats/reasons/reason.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import { invalidField, refused } from '../api/sent-values.ts';
import { recordFrom } from '../api/wire.ts';
import { invitationList, invitationListReply, invite, madeInvitationReply } from '../people/invitation-documents.ts';
import {
  organisationAt,
  organisationContent,
  organisationDocument,
  organisationDocuments,
  organisationReply,
  organisationTerms,
  versionedOrganisation,
} from '../accounts/organisation-documents.ts';
import { holders, memberListReply, newInvitationBody } from './own-organisation.ts';

export const organisationEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/organisations', 'listOrganisations', 'read-only', {
    summary: 'List organisations, by name.',
    query: z.strictObject({
      q: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe('Only organisations whose name or display name contains this text, ignoring case.'),
      ...pageQuery(z.string().max(64)),
    }),
    reply: pageOf(organisationReply),
    run: async ({ parts, query: { limit, cursor: after, q: search } }) => {
      const rows = await organisations(parts.store, parts.clock).list({ search, after, limit: limit + 1 });
      const { data, next } = page(rows, limit, { shown: (each) => each, position: (each) => each.name });
      return { data: await organisationDocuments(parts, data), next };
    },
  }),
  readEndpoint('GET /admin/v1/organisations/:id', 'getOrganisation', 'read-only', {
    summary: 'Get an organisation.',
    reply: organisationReply,
    run: async ({ parts, id }) => organisationDocument(parts, await organisationAt(parts, id)),
  }),
  writeEndpoint('POST /admin/v1/organisations', 'createOrganisation', 'operator', {
    summary: 'Create an organisation. Accounts join it by a change of the account.',
    body: { name: 'NewOrganisation', schema: z.strictObject({ name, ...organisationTerms }) },
    reply: organisationReply,
    run: async ({ parts, body }) => {
      const book = organisations(parts.store, parts.clock);
      if (await book.find(body.name)) {
        throw invalidField('name', broken('organisation_name_taken'), 'Choose another name.');
      }
      const organisation = await book.create(recordFrom(body));
      const change = { kind: 'organisation', id: organisation.id, after: organisationContent(organisation) };
      return { reply: await organisationDocument(parts, organisation), change };
    },
  }),
  writeEndpoint('PATCH /admin/v1/organisations/:id', 'changeOrganisation', 'operator', {
    versioned: versionedOrganisation,
    summary: 'Change an organisation. Fields that are left out stay unchanged.',
    body: { name: 'OrganisationChange', schema: z.strictObject(organisationTerms) },
    reply: organisationReply,
    run: async ({ parts, id, body }) => {
      const before = await organisationAt(parts, id);
      await organisations(parts.store, parts.clock).change(before.id, recordFrom(body));
      const after = await organisationAt(parts, id);
      return { reply: await organisationDocument(parts, after), change: changeOf(before, after) };
    },
  }),
  writeEndpoint('DELETE /admin/v1/organisations/:id', 'removeOrganisation', 'operator', {
    versioned: versionedOrganisation,
    summary: 'Remove an organisation that has no accounts. Its bills stay.',
    reply: organisationReply,
    run: async ({ parts, id }) => {
      const organisation = await organisationAt(parts, id);
      const reply = await organisationDocument(parts, organisation);
      const count = await organisations(parts.store, parts.clock).remove(organisation.id);
      if (count > 0) throw refused(reason('organisation_has_accounts', { count }));
      return { reply, change: { kind: 'organisation', id, before: organisationContent(organisation) } };
    },
  }),
  readEndpoint('GET /admin/v1/organisations/:id/members', 'listOrganisationMembers', 'read-only', {
    summary: 'List the members of an organisation, oldest membership first.',
    reply: memberListReply,
    run: async ({ parts, id }) =>
      holders.list(organisationMembers(parts.store.db, (await organisationAt(parts, id)).id)),
  }),
  readEndpoint('GET /admin/v1/organisations/:id/invitations', 'listOrganisationInvitations', 'read-only', {
    summary: 'List the open invitations to an organisation.',
    reply: invitationListReply,
    run: async ({ parts, id }) => invitationList(parts, { organisationId: (await organisationAt(parts, id)).id }),
  }),
  writeEndpoint('POST /admin/v1/organisations/:id/invitations', 'inviteToOrganisation', 'operator', {
    summary: 'Invite a member to an organisation, such as its first owner. The link works once, for seven days.',
    body: newInvitationBody,
    reply: madeInvitationReply,
    run: async ({ parts, caller, id, body, address }) => {
      const organisationId = (await organisationAt(parts, id)).id;
      return invite(parts, caller, { kind: 'organisation', organisationId, ...body }, address);
    },
  }),
];

function changeOf(before: Organisation, after: Organisation) {
  const [old, now] = [organisationContent(before), organisationContent(after)];
  return old.version === now.version ? undefined : { kind: 'organisation', id: before.id, before: old, after: now };
}
