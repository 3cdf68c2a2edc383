import { z } from 'zod';
import { accounts } from '../../accounts/accounts.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { ownAccount } from '../api/caller.ts';
import type { AdminParts } from '../parts.ts';
import { missing } from '../api/sent-values.ts';
import { linesQuery, orders, ownUsageDocument, ownUsageReply, usageDocumentOf, usageReply } from './usage-documents.ts';
import { usageCsv } from './usage-csv.ts';
import { requireScope, type UsageDimension } from './usage-figures.ts';
import { pointsQuery, usageSpan } from './usage-points.ts';
import { idSchema } from '../api/wire.ts';
import { csvReply } from '../api/csv.ts';

const memberText = '`member`: the creator of the key. `user`: the `user_id` that clients send.';

const ownBy = z
  .enum(['model', 'key', 'member', 'user', 'status', 'error'])
  .default('model')
  .describe(`Dimension to group by. ${memberText}`);

const by = z
  .enum(['account', 'model', 'key', 'member', 'user', 'upstream', 'status', 'error'])
  .default('account')
  .describe(`Dimension to group by. ${memberText} Keys, members and users need an \`account\`.`);

const account = idSchema.optional().describe('Only this account, by id or name.');

/** Usage by one dimension, of the own account, of any account or of all. */
export const usageEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/usage/breakdown', 'getOwnUsageBreakdown', 'account', {
    summary: 'Get the usage of your account over time, by one dimension.',
    query: z.strictObject({ by: ownBy, ...linesQuery, ...pointsQuery }),
    reply: ownUsageReply,
    run: ({ parts, caller, query: { by: grouping, order, limit, ...span } }) =>
      ownUsageDocument(parts, { accountId: ownAccount(caller), by: grouping, order: orders[order], limit }, span),
  }),
  readEndpoint('GET /account/v1/usage/breakdown.csv', 'exportOwnUsageBreakdown', 'account', {
    summary: 'Export the usage of your account over time as CSV, with a row for every value and point.',
    query: z.strictObject({ by: ownBy, ...pointsQuery }),
    ...csvReply('UsageTable', 'usage.csv'),
    run: async ({ parts, caller, query: { by: grouping, ...span } }) =>
      usageCsv(parts, {
        request: { accountId: ownAccount(caller), by: grouping },
        span: usageSpan(span, parts.clock.now()),
        withCost: false,
      }),
  }),
  readEndpoint('GET /admin/v1/usage', 'getUsage', 'read-only', {
    summary: 'Get usage and provider cost over time, by one dimension, of one account or of all.',
    query: z.strictObject({ account, by, ...linesQuery, ...pointsQuery }),
    reply: usageReply,
    run: async ({ parts, query: { account: named, by: grouping, order, limit, ...span } }) => {
      const accountId = await accountOf(parts, named, grouping);
      return usageDocumentOf(parts, { accountId, by: grouping, order: orders[order], limit }, span);
    },
  }),
  readEndpoint('GET /admin/v1/usage.csv', 'exportUsage', 'read-only', {
    summary: 'Export usage and provider cost over time as CSV, with a row for every value and point.',
    query: z.strictObject({ account, by, ...pointsQuery }),
    ...csvReply('OperatorUsageTable', 'usage.csv'),
    run: async ({ parts, query: { account: named, by: grouping, ...span } }) => {
      const accountId = await accountOf(parts, named, grouping);
      return usageCsv(parts, {
        request: { accountId, by: grouping },
        span: usageSpan(span, parts.clock.now()),
        withCost: true,
      });
    },
  }),
];

async function accountOf(
  parts: AdminParts,
  account: string | undefined,
  grouping: UsageDimension,
): Promise<string | undefined> {
  requireScope(account, grouping);
  if (account === undefined) return undefined;
  const match = await accounts(parts.store, parts.clock).find(account);
  if (!match) throw missing('account');
  return match.id;
}
