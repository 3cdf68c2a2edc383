import { z } from 'zod';
import type { AccountId } from '../../../money/accounts/ids.ts';
import { namesOf } from '../../../money/accounts/names.ts';
import {
  type LinkPurpose,
  type OneTimeLink,
  openLinkOf,
  openLinks,
  withdrawLink,
} from '../../../money/accounts/one-time-links.ts';
import { resettable } from '../../../money/accounts/resets.ts';
import type { AdminCaller } from '../api/caller.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { missing } from '../api/sent-values.ts';
import { isoTime, timeSchema } from '../api/wire.ts';

const schema = z.strictObject({
  id: z.string(),
  kind: z
    .enum(['account', 'organisation', 'operator', 'reset'])
    .describe('`reset`: a link for a user who cannot sign in.'),
  email: z.string(),
  role: z.string().nullable().describe('Role that the link grants. Null for a reset.'),
  resets: z.enum(resettable).nullable(),
  account_id: z.string().nullable(),
  account: z.string().nullable().describe('Name of the account.'),
  organisation: z.string().nullable().describe('Name of the organisation.'),
  created_by: z.string(),
  created_at: timeSchema,
  expires_at: timeSchema,
});

const reply = { name: 'OpenLink', schema };

/** Links that can still be used, for operators to see and withdraw. */
export const openLinkEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/links', 'listOpenLinks', 'operator', {
    summary: 'List open invitations and reset links, newest first. Only owners see operator invitations.',
    query: z.strictObject(pageQuery(z.tuple([z.int(), z.string().max(64)]))),
    reply: pageOf(reply),
    run: async ({ parts, caller, query: { limit, cursor } }) => {
      const withOperators = seesOperators(caller);
      const part = { withOperators, after: cursor, limit: limit + 1 };
      const { data, next } = page(await openLinks(parts.store.db, parts.clock, part), limit, {
        shown: (link) => link,
        position: ({ createdAt, id }) => [createdAt, id],
      });
      return { data: await documents(parts, data), next };
    },
  }),
  writeEndpoint('DELETE /admin/v1/links/:id', 'withdrawLink', 'operator', {
    summary: 'Withdraw an invitation or a reset link.',
    reply,
    run: async ({ parts, caller, id }) => {
      const link = await openLinkOf(parts.store.db, parts.clock, id);
      const isHidden = link?.purpose.kind === 'operator' && !seesOperators(caller);
      if (!link || link.purpose.kind === 'setup' || isHidden) throw missing('link');
      const [before] = await documents(parts, [link]);
      if (!before) throw missing('link');
      await withdrawLink(parts.store.db, id);
      const accountId = accountIn(link.purpose);
      return { reply: before, change: { kind: 'invitation', id, before, accounts: accountId ? [accountId] : [] } };
    },
  }),
];

/** Only owners may see the operators of the gateway. */
function seesOperators({ role }: AdminCaller): boolean {
  return role === 'owner';
}

async function documents({ store }: AdminParts, links: readonly OneTimeLink[]): Promise<z.input<typeof schema>[]> {
  const ids = links.map(({ purpose }) => accountIn(purpose)).filter((id) => id !== undefined);
  const names = await namesOf(store, 'accounts', ids);
  const ofOrganisations = links.flatMap(({ purpose }) => organisationIn(purpose) ?? []);
  const organisations = await namesOf(store, 'organisations', ofOrganisations);
  return links.map(({ id, purpose, createdBy, createdAt, expiresAt }) => {
    const accountId = accountIn(purpose);
    return {
      id,
      ...purposeFields(purpose),
      account_id: accountId ?? null,
      account: (accountId && names.get(accountId)) ?? null,
      organisation: organisations.get(organisationIn(purpose) ?? '') ?? null,
      created_by: createdBy,
      created_at: isoTime(createdAt),
      expires_at: isoTime(expiresAt),
    };
  });
}

function accountIn(purpose: LinkPurpose): AccountId | undefined {
  if (purpose.kind === 'account') return purpose.accountId;
  return purpose.kind === 'reset' && 'accountId' in purpose.right ? purpose.right.accountId : undefined;
}

function organisationIn(purpose: LinkPurpose): string | undefined {
  return purpose.kind === 'organisation' ? purpose.organisationId : undefined;
}

function purposeFields(purpose: LinkPurpose): Pick<z.input<typeof schema>, 'kind' | 'email' | 'role' | 'resets'> {
  if (purpose.kind === 'reset') return { kind: 'reset', email: purpose.email, role: null, resets: purpose.resets };
  if (purpose.kind === 'setup') return { kind: 'operator', email: '', role: 'owner', resets: null };
  return { kind: purpose.kind, email: purpose.email, role: purpose.role, resets: null };
}
