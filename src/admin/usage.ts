import { z } from 'zod';
import { accounts } from '../accounts/accounts.ts';
import { type Endpoint, reading, streaming } from './endpoint.ts';
import { ownAccount } from './own-account.ts';
import type { AdminParts } from './parts.ts';
import { missing, invalidField } from './sent-values.ts';
import { linesQuery, orders, ownUsageDocument, ownUsageReply, usageDocumentOf, usageReply } from './usage-documents.ts';
import { usageCsv } from './usage-csv.ts';
import type { UsageGrouping } from './usage-figures.ts';
import { pointsQuery, usageSpan } from './usage-points.ts';
import { idSchema } from './wire.ts';
import { broken } from '../core/reasons/reason.ts';

const memberText = '`member` is who made a key; `user` is the `user_id` that clients send.';

const ownBy = z
  .enum(['model', 'key', 'member', 'user', 'status', 'error'])
  .default('model')
  .describe(`What to slice by. ${memberText}`);

const by = z
  .enum(['account', 'model', 'key', 'member', 'user', 'upstream', 'status', 'error'])
  .default('account')
  .describe(`What to slice by. ${memberText} Keys, members and users are told apart within one \`account\`.`);

const account = idSchema.optional().describe('Only this account, by its id or its name.');

const media = { type: 'text/csv', fileName: 'usage.csv' } as const;

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
  streaming({
    method: 'GET',
    path: '/account/v1/usage/slices.csv',
    operationId: 'exportOwnSlicedUsage',
    summary: 'The same as a table for spreadsheets: a line for every value at every point.',
    access: 'account',
    query: z.strictObject({ by: ownBy, ...pointsQuery }),
    reply: { name: 'UsageTable', schema: z.string() },
    media,
    run: async ({ parts, caller, query: { by: grouping, ...asked } }) =>
      usageCsv(parts, {
        asked: { accountId: ownAccount(caller), by: grouping },
        span: usageSpan(asked, parts.clock.now()),
        withCost: false,
      }),
  }),
  reading({
    method: 'GET',
    path: '/admin/v1/usage',
    operationId: 'getUsage',
    summary:
      'What an account, or all together, used over time, sliced by what you like, and what providers charge for it.',
    access: 'read-only',
    query: z.strictObject({ account, by, ...linesQuery, ...pointsQuery }),
    reply: usageReply,
    run: async ({ parts, query: { account: named, by: grouping, order, limit, ...span } }) => {
      const accountId = await accountAsked(parts, named, grouping);
      return usageDocumentOf(parts, { accountId, by: grouping, order: orders[order], limit }, span);
    },
  }),
  streaming({
    method: 'GET',
    path: '/admin/v1/usage.csv',
    operationId: 'exportUsage',
    summary: 'The same as a table for spreadsheets: a line for every value at every point.',
    access: 'read-only',
    query: z.strictObject({ account, by, ...pointsQuery }),
    reply: { name: 'OperatorUsageTable', schema: z.string() },
    media,
    run: async ({ parts, query: { account: named, by: grouping, ...asked } }) => {
      const accountId = await accountAsked(parts, named, grouping);
      return usageCsv(parts, {
        asked: { accountId, by: grouping },
        span: usageSpan(asked, parts.clock.now()),
        withCost: true,
      });
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
    throw invalidField('by', broken('needs_account'), 'Name one, or group by something else.');
  }
  if (account === undefined) return undefined;
  if (grouping === 'account')
    throw invalidField('by', broken('not_with_account'), 'Leave out `account`, or group by something else.');
  const found = await accounts(parts.store, parts.clock).find(account);
  if (!found) throw missing('account');
  return found.id;
}
