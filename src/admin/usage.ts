import { z } from 'zod';
import { accounts } from '../accounts/accounts.ts';
import { type Endpoint, reading } from './endpoint.ts';
import { ownAccount } from './own-account.ts';
import type { AdminParts } from './parts.ts';
import { missing, refused } from './sent-values.ts';
import { linesQuery, orders, ownUsageDocument, ownUsageReply, usageDocumentOf, usageReply } from './usage-documents.ts';
import type { UsageGrouping } from './usage-figures.ts';
import { pointsQuery } from './usage-points.ts';
import { idSchema } from './wire.ts';

const memberText = '`member` is who made a key; `user` is the `user_id` that clients send.';

const ownBy = z
  .enum(['model', 'key', 'member', 'user', 'status', 'error'])
  .default('model')
  .describe(`What to slice by. ${memberText}`);

const by = z
  .enum(['account', 'model', 'key', 'member', 'user', 'upstream', 'status', 'error'])
  .default('account')
  .describe(`What to slice by. ${memberText} Keys, members and users are told apart within one \`account\`.`);

/** Usage along one dimension at a time: of one's own account, or of any and all. */
export const usageEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/account/v1/usage/slices',
    operationId: 'getOwnSlicedUsage',
    summary: 'What you used over time, sliced by what you like.',
    access: 'account',
    query: z.strictObject({ by: ownBy, ...linesQuery, ...pointsQuery }),
    reply: ownUsageReply,
    run: ({ parts, caller, query: { by: grouping, order, limit, ...span } }) =>
      ownUsageDocument(parts, { accountId: ownAccount(caller), by: grouping, order: orders[order], limit }, span),
  }),
  reading({
    method: 'GET',
    path: '/admin/v1/usage',
    operationId: 'getUsage',
    summary:
      'What an account, or all together, used over time, sliced by what you like, and what providers charge for it.',
    access: 'read-only',
    query: z.strictObject({
      account: idSchema.optional().describe('Only this account, by its id or its name.'),
      by,
      ...linesQuery,
      ...pointsQuery,
    }),
    reply: usageReply,
    run: async ({ parts, query: { account, by: grouping, order, limit, ...span } }) => {
      const accountId = await accountAsked(parts, account, grouping);
      return usageDocumentOf(parts, { accountId, by: grouping, order: orders[order], limit }, span);
    },
  }),
];

/** Sums over all accounts exist of some things, and those of one account of others. */
async function accountAsked(
  parts: AdminParts,
  account: string | undefined,
  grouping: UsageGrouping,
): Promise<string | undefined> {
  if (account === undefined && ['key', 'member', 'user'].includes(grouping)) {
    throw refused(`\`by=${grouping}\` needs an \`account\`. Name one, or slice by something else.`);
  }
  if (account === undefined) return undefined;
  if (grouping === 'account')
    throw refused('`by=account` is for all accounts. Leave out `account`, or slice by something else.');
  const found = await accounts(parts.store, parts.clock).find(account);
  if (!found) throw missing('account');
  return found.id;
}
