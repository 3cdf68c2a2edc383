import { z } from 'zod';
import { openAmountOf } from '../../../money/documents/billing-document.ts';
import { findDocument } from '../../../money/documents/documents.ts';
import { billTotals, findBill, listBills, type OrganisationBill } from '../../../money/documents/organisation-bills.ts';
import { languages } from 'chat-formats/reasons/text.ts';
import { decimalText } from '../../../core/money.ts';
import { ownOrganisation } from '../api/caller.ts';
import { csvLine, csvReply, csvText, escapeFormula } from '../api/csv.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { missing } from '../api/sent-values.ts';
import { moneySchema } from '../api/wire.ts';
import type { AdminParts } from '../parts.ts';
import { organisationAt } from '../accounts/organisation-documents.ts';

const figures = {
  opening: moneySchema.describe('Balance at the start of the month.'),
  credits: moneySchema.describe('Payments, grants, refunds and corrections.'),
  charges: moneySchema.describe('Negative.'),
  closing: moneySchema.describe('Balance at the end of the month, or now.'),
};

const lineSchema = z.strictObject({ account_id: z.string(), account: z.string().describe('Its name.'), ...figures });

const schema = z.strictObject({
  month: z.string().describe('Such as `2026-03`. Each account has it in its own time zone.'),
  is_closed: z.boolean().describe('Whether it is final.'),
  document: z.string().nullable().describe('Number of its document. Null: the month is open.'),
  currency: z.string(),
  ...figures,
  open_amount: moneySchema.describe('The amount that the accounts owe at the end: their negative balances together.'),
  lines: z
    .array(lineSchema)
    .describe('One for each account that belonged to the organisation at the end of the month.'),
});

const billReply = { name: 'OrganisationBill', schema, inside: [{ name: 'BillLine', schema: lineSchema }] };
const billListReply = { name: 'OrganisationBillList', schema: z.strictObject({ data: z.array(schema) }) };

/** The monthly bills of an organisation. Its members read their own, operators those of all. */
export const billEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/organisations/:id/bills', 'listOrganisationBills', 'read-only', {
    summary: 'List the monthly bills of an organisation, newest first, with a line for each account.',
    reply: billListReply,
    run: async ({ parts, id }) => billList(parts, (await organisationAt(parts, id)).id),
  }),
  readEndpoint('GET /account/v1/organisation/bills', 'listOwnBills', 'organisation', {
    summary: 'List the monthly bills of your organisation, newest first, with a line for each account.',
    reply: billListReply,
    run: ({ parts, caller }) => billList(parts, ownOrganisation(caller)),
  }),
  readEndpoint('GET /account/v1/organisation/bills/:id', 'getOwnBill', 'organisation', {
    summary: 'Get the bill of a month such as `2026-03`.',
    reply: billReply,
    run: async ({ parts, caller, id }) => document(parts, await billAt(parts, ownOrganisation(caller), id)),
  }),
  readEndpoint('GET /account/v1/organisation/bills/:id/csv', 'exportOwnBill', 'organisation', {
    summary: 'Export the bill of a month as CSV, with a row for each account.',
    ...csvReply('OrganisationBillTable', 'bill.csv'),
    run: async ({ parts, caller, id }) => billTable(parts, await billAt(parts, ownOrganisation(caller), id)),
  }),
  readEndpoint('GET /account/v1/organisation/bills/:id/pdf', 'getOwnBillFile', 'organisation', {
    summary: 'Get the bill of a closed month as PDF.',
    query: z.strictObject({
      language: z.enum(languages).default('en').describe('Language of the words. Names stay as they are.'),
    }),
    reply: { name: 'DocumentFile', schema: z.string() },
    media: { type: 'application/pdf', fileName: 'bill.pdf' },
    run: async ({ parts, caller, id, query: { language } }) => {
      const { number } = await billAt(parts, ownOrganisation(caller), id);
      const issued = number === undefined ? undefined : await findDocument(parts.store, number);
      if (!issued) throw missing('billing_document');
      return parts.pdf.render(issued, language);
    },
  }),
];

async function billList(parts: AdminParts, organisationId: string) {
  return { data: (await listBills(parts, organisationId)).map((bill) => document(parts, bill)) };
}

async function billAt(parts: AdminParts, organisationId: string, month: string): Promise<OrganisationBill> {
  const bill = await findBill(parts, { organisationId, month });
  if (!bill) throw missing('month');
  return bill;
}

function document(parts: AdminParts, { month, number, lines }: OrganisationBill): z.input<typeof schema> {
  const { opening, credits, charges, closing } = billTotals(lines);
  return {
    month,
    is_closed: number !== undefined,
    document: number ?? null,
    currency: parts.currency(),
    opening: decimalText(opening),
    credits: decimalText(credits),
    charges: decimalText(charges),
    closing: decimalText(closing),
    open_amount: decimalText(openAmountOf(lines)),
    lines: lines.map(({ accountId, name, ...line }) => ({ account_id: accountId, account: name, ...line })),
  };
}

function billTable(parts: AdminParts, bill: OrganisationBill): string {
  const { month, currency, lines, ...totals } = document(parts, bill);
  const row = (account: string, id: string, line: typeof totals | (typeof lines)[number]) =>
    csvLine([month, escapeFormula(account), id, line.opening, line.credits, line.charges, line.closing, currency]);
  return csvText([
    csvLine(['month', 'account', 'account_id', 'opening', 'credits', 'charges', 'closing', 'currency']),
    ...lines.map((line) => row(line.account, line.account_id, line)),
    row('total', '', totals),
  ]);
}
