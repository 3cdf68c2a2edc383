import { z } from 'zod';
import { type CodeBatch, codesPerBatchMax, type RedemptionCode } from '../../codes/code-batches.ts';
import { amount } from '../../config/schema/decimal.ts';
import { name } from '../../config/schema/names.ts';
import { decimalText } from '../../core/money.ts';
import { idSchema, isoTime, isoTimeOrNull, labelSchema, moneySchema, sentTime, timeSchema } from '../api/wire.ts';

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

export const batchReply = { name: 'CodeBatch', schema: batchSchema };

export const madeBatchReply = {
  name: 'CreatedCodeBatch',
  schema: batchSchema.extend({ codes: z.array(z.string()).describe('The codes, shown only in this reply.') }),
};

export const newBatchBody = {
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

export const codeRow = { name: 'RedemptionCode', schema: codeSchema };

export function batchDocument(batch: CodeBatch): z.input<typeof batchSchema> {
  return {
    id: batch.id,
    note: batch.note,
    amount: decimalText(batch.amount),
    kind: batch.kind,
    site: batch.site ?? null,
    package: batch.packageName ?? null,
    expires_at: isoTimeOrNull(batch.expiresAt),
    count: batch.count,
    redeemed: batch.redeemed,
    withdrawn: batch.withdrawn,
    created_by: batch.createdBy,
    created_at: isoTime(batch.createdAt),
  };
}

export function codeDocument({
  account_name,
  ...code
}: RedemptionCode & { readonly account_name: string | null }): z.input<typeof codeSchema> {
  const { id, display, account_id, redeemed_by, redeemed_at: at } = code;
  const state = at !== null ? 'redeemed' : code.withdrawn_at !== null ? 'withdrawn' : 'open';
  return { id, display, state, redeemed_at: isoTimeOrNull(at ?? undefined), account_id, account_name, redeemed_by };
}
