import { z } from 'zod';
import { type CodeBatch, codesPerBatchMax, type RedemptionCode } from '../codes/code-batches.ts';
import { amount } from '../config/decimal.ts';
import { name } from '../config/names.ts';
import { decimalText } from '../core/money.ts';
import { idSchema, isoTime, isoTimeOrNull, labelSchema, moneySchema, sentTime, timeSchema } from './wire.ts';

const kind = z
  .enum(['top_up', 'grant'])
  .describe('How the ledger calls it: `top_up` was paid for elsewhere, `grant` is a present and is spent first.');

const batchSchema = z.strictObject({
  id: idSchema,
  note: z.string(),
  amount: moneySchema.describe('What each code brings.'),
  kind,
  site: z.string().nullable().describe('The only site where they can be redeemed; null: any.'),
  package: z.string().nullable().describe('The only package whose accounts may redeem them; null: any.'),
  expires_at: timeSchema.nullable(),
  count: z.int(),
  redeemed: z.int(),
  withdrawn: z.int().describe('Those that were withdrawn before anybody redeemed them.'),
  created_by: z.string(),
  created_at: timeSchema,
});

export const batchReply = { name: 'CodeBatch', schema: batchSchema };

export const madeBatchReply = {
  name: 'MadeCodeBatch',
  schema: batchSchema.extend({ codes: z.array(z.string()).describe('They are in this reply and nowhere else.') }),
};

export const newBatchBody = {
  name: 'NewCodeBatch',
  schema: z.strictObject({
    count: z.int().min(1).max(codesPerBatchMax).describe('How many codes.'),
    amount: amount.describe('What each of them brings: a decimal in quotes, more than nothing.'),
    kind: kind.default('top_up'),
    note: labelSchema,
    site: name.optional().describe('Only there they can be redeemed. Anywhere if left out.'),
    package: name.optional().describe('Only accounts of this package may redeem them. Any if left out.'),
    expires_at: sentTime.optional().describe('From then on they are refused. Never if left out.'),
  }),
};

const codeSchema = z.strictObject({
  id: idSchema.describe('The reference of what it brought, in the ledger.'),
  display: z.string().describe('The first and last characters of the code.'),
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
    created_by: batch.madeBy,
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
