import { z } from 'zod';
import { accounts } from '../../../money/accounts/accounts.ts';
import {
  type Invitation,
  type InvitationScope,
  makeLink,
  type OneTimeLink,
  openInvitations,
  withdrawLink,
} from '../../../money/accounts/one-time-links.ts';
import { findOrganisation } from '../../../money/accounts/organisations.ts';
import type { AdminCaller } from '../api/caller.ts';
import type { ResourceAddress } from '../api/endpoint.ts';
import type { AdminParts } from '../parts.ts';
import { missing, refused } from '../api/sent-values.ts';
import { isoTime, timeSchema } from '../api/wire.ts';
import { breaks } from '../../../platform/config/file/wording.ts';
import { reason } from 'chat-formats/reasons/reason.ts';

export const mailedSchema = z
  .boolean()
  .describe('Whether an e-mail with the link is on its way. If not, pass the link on yourself.');

const schema = z.strictObject({
  id: z.string(),
  email: z.string(),
  role: z.string(),
  created_by: z.string().describe('Actor that created the invitation.'),
  created_at: timeSchema,
  expires_at: timeSchema,
});

export const invitationReply = { name: 'Invitation', schema };
export const invitationListReply = { name: 'InvitationList', schema: z.strictObject({ data: z.array(schema) }) };
export const madeInvitationReply = {
  name: 'CreatedInvitation',
  schema: schema.extend({
    link: z.string().describe('Path of the link, on any domain of the gateway. Shown only once.'),
    mailed: mailedSchema,
  }),
};

export const invitedEmail = z.email(breaks('not_an_email_address')).max(254).describe('Address that the link is for.');

export const operatorScope = { operators: true } as const;

/** The list has no pages, so the number of open invitations is limited. */
export const invitationsMax = 200;

/** Creates a link that can be used once within a week, and e-mails it if there is a mail server. */
export async function invite(parts: AdminParts, caller: AdminCaller, purpose: Invitation, address: ResourceAddress) {
  const accountId = purpose.kind === 'account' ? purpose.accountId : undefined;
  const scope = 'accountId' in purpose || 'organisationId' in purpose ? purpose : operatorScope;
  if ((await openInvitations(parts.store.db, parts.clock, scope)).length >= invitationsMax) {
    throw refused(reason('too_many_invitations', { max: invitationsMax }));
  }
  const { link, secret, mailed: mailedSecret } = await makeLink(parts, purpose, caller.actor);
  const after = invitationDocument(link);
  const path = `/app/invite?token=${secret}`;
  const mailed = await parts.mail.post(parts.store.db, {
    to: purpose.email,
    subject: { kind: 'invitation', by: caller.actor, to: await invitedTo(parts, purpose) },
    path: `/app/invite?token=${mailedSecret}`,
    address,
    accountId,
  });
  const reply = { ...after, link: path, mailed };
  return { reply, change: { kind: 'invitation', id: link.id, after, accounts: accountId ? [accountId] : [] } };
}

/** The name in the e-mail: that of the account or organisation, or that of the product. */
async function invitedTo({ store, clock }: AdminParts, purpose: Invitation): Promise<string> {
  const found =
    purpose.kind === 'account'
      ? await accounts(store, clock).find(purpose.accountId)
      : purpose.kind === 'organisation'
        ? await findOrganisation(store.db, purpose.organisationId)
        : undefined;
  return found ? found.name : 'Chat Gateway';
}

export async function invitationList({ store, clock }: AdminParts, scope: InvitationScope) {
  return { data: (await openInvitations(store.db, clock, scope)).map(invitationDocument) };
}

export async function withdrawInvitation({ store, clock }: AdminParts, id: string, scope: InvitationScope) {
  const link = (await openInvitations(store.db, clock, scope)).find((each) => each.id === id);
  if (!link) throw missing('invitation');
  await withdrawLink(store.db, id);
  const before = invitationDocument(link);
  const accounts = 'accountId' in scope ? [scope.accountId] : [];
  return { reply: before, change: { kind: 'invitation', id, before, accounts } };
}

function invitationDocument({ id, purpose, createdBy, createdAt, expiresAt }: OneTimeLink): z.input<typeof schema> {
  const { email, role } = 'role' in purpose ? purpose : { email: '', role: '' };
  return { id, email, role, created_by: createdBy, created_at: isoTime(createdAt), expires_at: isoTime(expiresAt) };
}
