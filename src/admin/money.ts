import { z } from 'zod';
import { type Balance, balanceOf } from '../billing/balance.ts';
import { credits } from '../billing/credits.ts';
import { decimalText, nanoFrom } from '../core/money.ts';
import { accountAt } from './accounts.ts';
import { type Endpoint, reading, writing } from './endpoint.ts';
import { type LedgerLine, linesOf } from './ledger.ts';
import { keyNameField, withKeyNames } from './names.ts';
import { page, pageOf, pageQuery } from './page.ts';
import type { AdminParts } from './parts.ts';
import { invalidField } from './sent-values.ts';
import { isoTime, moneySchema, periodQuery, timeSchema } from './wire.ts';
import { breaks } from '../config/wording.ts';
import { broken } from '../core/reasons/reason.ts';

const balanceSchema = z.strictObject({
  currency: z.string(),
  total: moneySchema,
  granted: moneySchema.describe('What the operator gave; spent first.'),
  topped_up: moneySchema,
  reserved: moneySchema.describe('Held for requests that are running.'),
});

/** One movement, as the APIs show it. */
export const lineSchema = z.strictObject({
  id: z.string(),
  at: timeSchema,
  kind: z.string().describe('`charge`, `charge-rest`, `grant`, `top_up`, `refund`, `adjust` or `reversal`.'),
  reference: z.string().describe('The request or the credit it belongs to.'),
  key_id: z.string().nullable().describe('The key whose request was charged.'),
  amount: moneySchema.describe('What was spent is negative.'),
  by: z.string(),
  reason: z.string(),
  price_version: z.string().nullable(),
});

/** At most nine digits before the point and nine after it. */
const signedAmount = z
  .string()
  .regex(/^-?\d{1,9}(\.\d{1,9})?$/, breaks('not_a_signed_decimal', { digits: 9 }))
  .describe('A decimal in quotes; negative only with `adjust`.');

const creditSchema = z.strictObject({
  kind: z.enum(['grant', 'top_up', 'refund', 'adjust']),
  amount: signedAmount,
  reference: z
    .string()
    .min(1)
    .max(200)
    .regex(/^\P{C}+$/u, breaks('not_printable'))
    .describe('Names this credit for good: sent again with the same kind, it changes nothing.'),
  reason: z.string().trim().min(1).max(500).describe('Why; it stands in the ledger.'),
});

/** What each kind is ordered by. */
const orders = { grant: 'grant', top_up: 'topUp', refund: 'refund', adjust: 'adjust' } as const;

const creditedSchema = balanceSchema.extend({
  is_new: z.boolean().describe('False when this reference was booked before; then nothing was changed.'),
});

export const balanceReply = { name: 'Balance', schema: balanceSchema };
export const ledgerReply = pageOf({ name: 'LedgerLine', schema: lineSchema.extend(keyNameField) });
/** How lines may be looked for. */
export const ledgerFilter = {
  kind: z
    .enum(['charge', 'charge-rest', 'grant', 'top_up', 'refund', 'adjust', 'reversal'])
    .optional()
    .describe('Only those. `charge-rest` is what a charge after a crash fell short of, or what of it was given back.'),
  ...periodQuery,
};
export const ledgerQuery = z.strictObject({ ...ledgerFilter, ...pageQuery(z.string().max(500)) });

export async function balanceDocument(parts: AdminParts, accountId: string): Promise<z.input<typeof balanceSchema>> {
  return shownBalance(await balanceOf(parts.store, accountId), parts.currency());
}

export async function ledgerPage(parts: AdminParts, accountId: string, query: z.output<typeof ledgerQuery>) {
  const { limit, cursor: before, ...filter } = query;
  const lines = await linesOf(parts.store, { ...filter, accountId, before, limit: limit + 1 });
  const { data, next } = page(lines, limit, { shown: lineDocument, position: ({ id }) => id });
  return { data: await withKeyNames(parts.store, data), next };
}

export const moneyEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/admin/v1/accounts/:id/balance',
    operationId: 'getBalance',
    summary: 'What an account has.',
    access: 'read-only',
    reply: balanceReply,
    run: async ({ parts, id }) => balanceDocument(parts, (await accountAt(parts, id)).id),
  }),
  reading({
    method: 'GET',
    path: '/admin/v1/accounts/:id/ledger',
    operationId: 'listLedger',
    summary: 'Every movement of its money, newest first.',
    access: 'read-only',
    query: ledgerQuery,
    reply: ledgerReply,
    run: async ({ parts, id, query }) => ledgerPage(parts, (await accountAt(parts, id)).id, query),
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/accounts/:id/credits',
    operationId: 'creditAccount',
    summary: 'Grant, top up, refund or adjust.',
    access: 'operator',
    body: { name: 'Credit', schema: creditSchema },
    reply: { name: 'Credited', schema: creditedSchema },
    run: async ({ parts, caller, id, body }) => {
      const { id: accountId } = await accountAt(parts, id);
      const { kind, reference, reason } = body;
      const amount = nanoFrom(body.amount);
      if (amount === 0n) throw invalidField('amount', broken('zero'), 'Send the amount to book.');
      if (amount < 0n && kind !== 'adjust') throw invalidField('amount', broken('negative'));
      const before = await balanceDocument(parts, accountId);
      const credit = { accountId, amount, reference, by: caller.actor, reason };
      const { isNew } = await credits(parts.store, parts.clock)[orders[kind]](credit);
      const after = await balanceDocument(parts, accountId);
      const change = { kind: 'balance', id: accountId, before, after: { ...after, credit: body } };
      return { reply: { ...after, is_new: isNew }, change: isNew ? change : undefined };
    },
  }),
];

function shownBalance({ granted, toppedUp, reserved }: Balance, currency: string): z.input<typeof balanceSchema> {
  return {
    currency,
    total: decimalText(granted + toppedUp),
    granted: decimalText(granted),
    topped_up: decimalText(toppedUp),
    reserved: decimalText(reserved),
  };
}

export function lineDocument({ at, amount, priceVersion, keyId, ...line }: LedgerLine): z.input<typeof lineSchema> {
  const { id, kind, reference, by, reason } = line;
  return {
    id,
    at: isoTime(at),
    kind,
    reference,
    key_id: keyId ?? null,
    amount: decimalText(amount),
    by,
    reason,
    price_version: priceVersion ?? null,
  };
}
