import { z } from 'zod';
import { balanceOf } from '../../../money/billing/wallet/balance.ts';
import { credits } from '../../../money/billing/ledger/credits.ts';
import { nanoFrom, decimalText } from '../../../core/money.ts';
import { numbersOf } from '../../../money/documents/documents.ts';
import { accountAt, openAmount } from '../accounts/accounts.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { keyNameField, withKeyNames } from '../names.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { invalidField } from '../api/sent-values.ts';
import { documentAs, moneySchema, periodQuery, timeSchema, isoTime } from '../api/wire.ts';
import { breaks } from '../../../platform/config/file/wording.ts';
import { broken } from 'chat-formats/reasons/reason.ts';
import {
  type LedgerFilter,
  type LedgerLine as BookedLine,
  ledgerLines,
} from '../../../money/billing/ledger/ledger-lines.ts';
import type { Store } from '../../../platform/store/store.ts';
import { csvLine, csvReply, csvRows, csvText, escapeFormula } from '../api/csv.ts';
import { ownAccount } from '../api/caller.ts';

const balanceSchema = z.strictObject({
  currency: z.string(),
  total: moneySchema.describe('Spendable and reserved money together.'),
  billing: z.enum(['prepaid', 'postpaid']).describe('`postpaid`: the balance may be negative, and payments settle it.'),
  open_amount: moneySchema.describe('The amount that the account owes: its negative balance, or 0.'),
  spendable: moneySchema
    .nullable()
    .describe(
      'The part that new requests can use: `total` without `reserved`. Null: only limits end a postpaid account.',
    ),
  granted: moneySchema.describe('Credit that the operator granted. It is spent first.'),
  topped_up: moneySchema,
  reserved: moneySchema.describe(
    'Set aside for running requests, and leased ahead by gateway processes. It returns unless it is spent.',
  ),
});

export const lineSchema = z.strictObject({
  id: z.string(),
  at: timeSchema,
  kind: z.string().describe('`charge`, `charge-rest`, `grant`, `top_up`, `refund`, `adjust` or `reversal`.'),
  reference: z.string().describe('The request or credit that it belongs to.'),
  key_id: z.string().nullable().describe('The key whose request was charged.'),
  amount: moneySchema.describe('Negative for charges.'),
  by: z.string(),
  reason: z.string(),
  price_version: z.string().nullable(),
});

/** At most nine digits before the point and nine after it. */
const signedAmount = z
  .string()
  .regex(/^-?\d{1,9}(\.\d{1,9})?$/, breaks('not_a_signed_decimal', { digits: 9 }))
  .describe('A decimal in quotes. Negative only with `adjust`.');

const creditSchema = z.strictObject({
  kind: z.enum(['grant', 'top_up', 'refund', 'adjust']),
  amount: signedAmount,
  reference: z
    .string()
    .min(1)
    .max(200)
    .regex(/^\P{C}+$/u, breaks('not_printable'))
    .describe('Unique reference of this credit. A second credit with the same kind and reference changes nothing.'),
  reason: z.string().trim().min(1).max(500).describe('Reason, shown in the ledger.'),
});

const creditMethods = { grant: 'grant', top_up: 'topUp', refund: 'refund', adjust: 'adjust' } as const;

const creditedSchema = balanceSchema.extend({
  is_new: z.boolean().describe('False if this reference was booked before. Then nothing changed.'),
});

export const balanceReply = { name: 'Balance', schema: balanceSchema };
const ledgerReply = pageOf({
  name: 'LedgerLine',
  schema: lineSchema.extend({
    ...keyNameField,
    document: z.string().nullable().describe('Number of its receipt or credit note, if it is a payment.'),
  }),
});
const ledgerKinds = [
  ...(['charge', 'charge-rest', 'grant', 'top_up', 'refund', 'adjust', 'reversal'] as const),
  ...(['opening-balance', 'opening-spend', 'opening-credit'] as const),
];
const ledgerFilter = {
  kind: z
    .enum(ledgerKinds)
    .optional()
    .describe(
      'Only entries of this kind. `charge-rest` corrects a charge that was booked after a crash: a missing part, or a part that was returned. `opening-…` come from an import.',
    ),
  ...periodQuery,
};
const ledgerQuery = z.strictObject({ ...ledgerFilter, ...pageQuery(z.string().max(500)) });

export async function balanceDocument(parts: AdminParts, accountId: string): Promise<z.input<typeof balanceSchema>> {
  const balance = await balanceOf(parts.store, accountId);
  const total = balance.granted + balance.toppedUp;
  const { billing } = await accountAt(parts, accountId);
  const spendable = billing === 'postpaid' ? undefined : total - balance.reserved - balance.floor;
  const shown = { ...balance, billing, total, spendable, openAmount: openAmount(total) };
  return documentAs(balanceSchema.shape, { ...shown, currency: parts.currency() });
}

async function ledgerPage(parts: AdminParts, accountId: string, query: z.output<typeof ledgerQuery>) {
  const { limit, cursor: before, ...filter } = query;
  const lines = await linesOf(parts.store, { ...filter, accountId, before, limit: limit + 1 });
  const { data, next } = page(lines, limit, { shown: lineDocument, position: ({ id }) => id });
  const numberOf = await numbersOf(parts.store, data);
  const named = await withKeyNames(parts.store, data);
  return { data: named.map((line) => ({ ...line, document: numberOf(line) ?? null })), next };
}

export const moneyEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/accounts/:id/balance', 'getBalance', 'read-only', {
    summary: 'Get the balance of an account.',
    reply: balanceReply,
    run: async ({ parts, id }) => balanceDocument(parts, (await accountAt(parts, id)).id),
  }),
  readEndpoint('GET /admin/v1/accounts/:id/ledger', 'listLedger', 'read-only', {
    summary: 'List the ledger entries of an account, newest first.',
    query: ledgerQuery,
    reply: ledgerReply,
    run: async ({ parts, id, query }) => ledgerPage(parts, (await accountAt(parts, id)).id, query),
  }),
  writeEndpoint('POST /admin/v1/accounts/:id/credits', 'creditAccount', 'operator', {
    summary: 'Credit an account: grant, top up, refund or adjust.',
    body: { name: 'Credit', schema: creditSchema },
    reply: { name: 'Credited', schema: creditedSchema },
    run: async ({ parts, caller, id, body }) => {
      const { id: accountId } = await accountAt(parts, id);
      const { kind, reference, reason } = body;
      const amount = nanoFrom(body.amount);
      if (amount === 0n) throw invalidField('amount', broken('zero'), 'Send the amount to book.');
      if (amount < 0n && kind !== 'adjust') throw invalidField('amount', broken('negative'));
      const before = await balanceDocument(parts, accountId);
      const credit = { accountId, amount, reference, by: caller.bookedBy ?? caller.actor, reason };
      const { isNew } = await credits(parts.store, parts.clock)[creditMethods[kind]](credit);
      const after = await balanceDocument(parts, accountId);
      const change = { kind: 'balance', id: accountId, before, after: { ...after, credit: body } };
      return { reply: { ...after, is_new: isNew }, change: isNew ? change : undefined };
    },
  }),
];

export const ownMoneyEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/balance', 'getOwnBalance', 'account', {
    summary: 'Get the balance of your account.',
    reply: balanceReply,
    run: ({ parts, caller }) => balanceDocument(parts, ownAccount(caller)),
  }),
  readEndpoint('GET /account/v1/ledger', 'listOwnLedger', 'account', {
    summary: 'List the ledger entries of your account, newest first.',
    query: ledgerQuery,
    reply: ledgerReply,
    run: ({ parts, caller, query }) => ledgerPage(parts, ownAccount(caller), query),
  }),
  readEndpoint('GET /account/v1/ledger.csv', 'exportOwnLedger', 'account', {
    summary: 'Export the ledger entries of your account as CSV.',
    query: z.strictObject(ledgerFilter),
    ...csvReply('LedgerTable', 'ledger.csv'),
    run: ({ parts, caller, query }) => ledgerCsv(parts, { ...query, accountId: ownAccount(caller) }),
  }),
];

export function lineDocument(line: OwnedLedgerLine): z.input<typeof lineSchema> {
  return documentAs(lineSchema.shape, line);
}

interface OwnedLedgerLine extends BookedLine {
  readonly id: string;
}

interface LedgerPart extends Omit<LedgerFilter, 'before' | 'reference'> {
  /** Only entries older than the one with this id. */
  readonly before?: string | undefined;
}

async function linesOf(store: Store, { before, ...part }: LedgerPart): Promise<readonly OwnedLedgerLine[]> {
  const lines = await ledgerLines(store, { ...part, ...(before && { before: positionOf(before) }) });
  return lines.map((line) => ({ ...line, id: idOf(line) }));
}

/** The id of an entry is its position in the sort order. */
function idOf({ at, kind, reference }: BookedLine): OwnedLedgerLine['id'] {
  return `${at}.${kind}.${reference}`;
}

function positionOf(id: string): Pick<BookedLine, 'at' | 'kind' | 'reference'> {
  const [at = '0', kind = '', ...reference] = id.split('.');
  return { at: Number(at), kind: kind as BookedLine['kind'], reference: reference.join('.') };
}

const header = ['at', 'kind', 'amount', 'currency', 'reference', 'key_id', 'by', 'reason', 'price_version'];

async function ledgerCsv(parts: AdminParts, filter: Omit<LedgerPart, 'before' | 'limit'>): Promise<string> {
  const currency = parts.currency();
  const rows = await csvRows<OwnedLedgerLine>([csvLine(header)], {
    read: (last, limit) => linesOf(parts.store, { ...filter, before: last?.id, limit }),
    rowsOf: (lines) => lines.map((line) => rowOf(line, currency)),
  });
  return csvText(rows);
}

function rowOf(
  { at, kind, amount, reference, keyId, by, reason, priceVersion }: OwnedLedgerLine,
  currency: string,
): string {
  const texts = [reference, keyId ?? '', by, reason, priceVersion ?? ''].map(escapeFormula);
  return csvLine([isoTime(at), kind, decimalText(amount), currency, ...texts]);
}
