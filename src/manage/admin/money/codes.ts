import { z } from 'zod';
import {
  type CodeBatch,
  codesOf,
  findBatch,
  listBatches,
  makeBatch,
  withdrawRest,
  codesPerBatchMax,
  type RedemptionCode,
} from '../../../money/codes/code-batches.ts';
import { nanoFrom, decimalText } from '../../../core/money.ts';
import { otherName, requirePackage, accountAt } from '../accounts/accounts.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { named } from '../names.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { missing, invalidField } from '../api/sent-values.ts';
import { storedResources } from '../api/stored-resources.ts';
import { broken } from 'chat-formats/reasons/reason.ts';
import { amount } from '../../../platform/config/schema/values/decimal.ts';
import { name } from '../../../platform/config/schema/names.ts';
import { documentAs, idSchema, isoTimeOrNull, labelSchema, moneySchema, sentTime, timeSchema } from '../api/wire.ts';
import { redeemCode } from '../../../money/codes/redeem.ts';
import { ownAccount } from '../api/caller.ts';
import { balanceDocument, balanceReply } from './money.ts';

const kind = z
  .enum(['top_up', 'grant'])
  .describe('Kind of the ledger entry. `top_up`: paid for elsewhere. `grant`: a gift, which is spent first.');

const batchSchema = z.strictObject({
  id: idSchema,
  note: z.string(),
  amount: moneySchema.describe('Value of each code.'),
  kind,
  site: z.string().nullable().describe('The only site where the codes can be redeemed. Null: any site.'),
  package: z.string().nullable().describe('The only package whose accounts may redeem the codes. Null: any package.'),
  expires_at: timeSchema.nullable(),
  count: z.int(),
  redeemed: z.int(),
  withdrawn: z.int().describe('Codes that were withdrawn before they were redeemed.'),
  created_by: z.string(),
  created_at: timeSchema,
});

const batchReply = { name: 'CodeBatch', schema: batchSchema };

const madeBatchReply = {
  name: 'CreatedCodeBatch',
  schema: batchSchema.extend({ codes: z.array(z.string()).describe('The codes, shown only in this reply.') }),
};

const newBatchBody = {
  name: 'NewCodeBatch',
  schema: z.strictObject({
    count: z.int().min(1).max(codesPerBatchMax).describe('Number of codes.'),
    amount: amount.describe('Value of each code: a decimal in quotes, greater than 0.'),
    kind: kind.default('top_up'),
    note: labelSchema,
    site: name.optional().describe('The only site where the codes can be redeemed. Default: any site.'),
    package: name.optional().describe('The only package whose accounts may redeem the codes. Default: any package.'),
    expires_at: sentTime.optional().describe('When the codes expire. Default: never.'),
  }),
};

const codeSchema = z.strictObject({
  id: idSchema.describe('Reference of its ledger entry.'),
  display: z.string().describe('First and last characters of the code.'),
  state: z.enum(['open', 'redeemed', 'withdrawn']),
  redeemed_at: timeSchema.nullable(),
  account_id: z.string().nullable(),
  account_name: z.string().nullable(),
  redeemed_by: z.string().nullable(),
});

const codeRow = { name: 'RedemptionCode', schema: codeSchema };

export function batchDocument(batch: CodeBatch): z.input<typeof batchSchema> {
  return documentAs(batchSchema.shape, { ...batch, package: batch.packageName });
}

export function codeDocument({
  account_name,
  ...code
}: RedemptionCode & { readonly account_name: string | null }): z.input<typeof codeSchema> {
  const { id, display, account_id, redeemed_by, redeemed_at: at } = code;
  const state = at !== null ? 'redeemed' : code.withdrawn_at !== null ? 'withdrawn' : 'open';
  return { id, display, state, redeemed_at: isoTimeOrNull(at ?? undefined), account_id, account_name, redeemed_by };
}

const cursorSchema = z.tuple([z.int(), z.string().max(64)]);

export const codeEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/code-batches', 'listCodeBatches', 'read-only', {
    summary: 'List batches of redemption codes, newest first, with the number of redeemed codes.',
    query: z.strictObject(pageQuery(cursorSchema)),
    reply: pageOf(batchReply),
    run: async ({ parts: { store }, query: { limit, cursor: after } }) => {
      const batches = await listBatches(store, { after, limit: limit + 1 });
      return page(batches, limit, { shown: batchDocument, position: ({ createdAt, id }) => [createdAt, id] });
    },
  }),
  readEndpoint('GET /admin/v1/code-batches/:id', 'getCodeBatch', 'read-only', {
    summary: 'Get a batch of redemption codes.',
    reply: batchReply,
    run: async ({ parts, id }) => batchDocument(await batchAt(parts, id)),
  }),
  readEndpoint('GET /admin/v1/code-batches/:id/codes', 'listCodes', 'read-only', {
    summary: 'List the codes of a batch and their state, without secrets. The most recently redeemed come first.',
    query: z.strictObject(pageQuery(cursorSchema)),
    reply: pageOf(codeRow),
    run: async ({ parts, id, query: { limit, cursor: after } }) => {
      const { id: batchId } = await batchAt(parts, id);
      const codes = await codesOf(parts.store, batchId, { after, limit: limit + 1 });
      const keyless = codes.map((code) => ({ ...code, key_id: null }));
      const rows = await named(parts.store, keyless);
      const position = (code: (typeof rows)[number]) => [code.redeemed_at ?? 0, code.id];
      return page(rows, limit, { shown: codeDocument, position });
    },
  }),
  writeEndpoint('POST /admin/v1/code-batches', 'createCodeBatch', 'operator', {
    summary: 'Create a batch of redemption codes. The codes are shown only in this reply.',
    body: newBatchBody,
    reply: madeBatchReply,
    run: async ({ parts, caller, body }) => {
      const amount = nanoFrom(body.amount);
      if (amount === 0n) throw invalidField('amount', broken('zero'), 'Send the value of a code.');
      if (body.package !== undefined) await requirePackage(parts, body.package);
      if (body.site !== undefined) await requireSite(parts, body.site);
      if (body.expires_at !== undefined && body.expires_at <= parts.clock.now()) {
        throw invalidField('expires_at', broken('time_has_passed'), 'Send a later time.');
      }
      const { count, kind, note, site, package: packageName, expires_at: expiresAt } = body;
      const terms = { count, kind, note, site, packageName, expiresAt, amount, by: caller.bookedBy ?? caller.actor };
      const { batch, codes } = await makeBatch(parts, terms);
      const after = batchDocument(batch);
      return { reply: { ...after, codes: [...codes] }, change: { kind: 'code batch', id: batch.id, after } };
    },
  }),
  writeEndpoint('POST /admin/v1/code-batches/:id/withdraw', 'withdrawCodeBatch', 'operator', {
    summary: 'Withdraw the codes of a batch that are not redeemed yet. Redeemed codes are unaffected.',
    reply: batchReply,
    run: async ({ parts, id }) => {
      const before = await batchAt(parts, id);
      const withdrawn = await withdrawRest(parts.store, parts.clock, id);
      const after = batchDocument(await batchAt(parts, id));
      const change = { kind: 'code batch', id, before: batchDocument(before), after };
      return { reply: after, change: withdrawn > 0 ? change : undefined };
    },
  }),
];

async function batchAt({ store }: AdminParts, id: string): Promise<CodeBatch> {
  const batch = await findBatch(store, id);
  if (!batch) throw missing('code_batch');
  return batch;
}

async function requireSite(parts: AdminParts, wanted: string): Promise<void> {
  const names = (await storedResources(parts).list('site')).map((each) => each.name);
  if (!names.includes(wanted)) throw invalidField('site', broken('no_such_site'), otherName(wanted, names, 'sites'));
}

const redeemedSchema = z.strictObject({
  id: z.string().describe('Reference of its ledger entry.'),
  amount: moneySchema.describe('Value of the code.'),
  kind: z.enum(['top_up', 'grant']),
  balance: balanceReply.schema.describe('Your balance after the redemption.'),
});

export const redemptionEndpoint: Endpoint = writeEndpoint('POST /account/v1/redemptions', 'redeemCode', 'account', {
  summary: 'Redeem a code. Its value is added to your balance, once.',
  isGuess: true,
  body: {
    name: 'Redemption',
    schema: z.strictObject({
      code: z.string().min(1).max(100).describe('The code as you got it. Case, spaces and dashes are ignored.'),
    }),
  },
  reply: { name: 'Redeemed', schema: redeemedSchema, inside: [balanceReply] },
  run: async ({ parts, caller, body, address }) => {
    const account = await accountAt(parts, ownAccount(caller));
    const site = parts.current().catalog.siteFor(address.host);
    const before = await balanceDocument(parts, account.id);
    const { id, amount, kind } = await redeemCode(parts, { code: body.code, account, site, by: caller.actor });
    const balance = await balanceDocument(parts, account.id);
    const after = { ...balance, redeemed: { id, amount: decimalText(amount), kind } };
    return {
      reply: { id, amount: decimalText(amount), kind, balance },
      change: { kind: 'balance', id: account.id, before, after },
    };
  },
});
