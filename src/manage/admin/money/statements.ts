import { z } from 'zod';
import type { AccountId } from '../../../money/accounts/ids.ts';
import { ledgerLines, type LedgerLine } from '../../../money/billing/ledger/ledger-lines.ts';
import { rememberedFactors } from '../../../money/billing/ledger/price-book.ts';
import { findStatement, listStatements, type MonthlyStatement } from '../../../money/billing/ledger/statements.ts';
import { decimalText, nanoFrom, type Nano, unitsText } from '../../../core/money.ts';
import { openAmount } from '../accounts/accounts.ts';
import { ownAccount } from '../api/caller.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { csvLine, escapeFormula, csvReply, csvRows, csvText } from '../api/csv.ts';
import { partyReply, partySchema, statementParties } from './documents.ts';
import { lineDocument, lineSchema } from './money.ts';
import { keyNameField, withKeyNames } from '../names.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import type { AdminParts } from '../parts.ts';
import { factorPlaces } from '../requests/request-detail-documents.ts';
import { missing } from '../api/sent-values.ts';
import { isoTime, moneySchema, timeSchema, documentAs } from '../api/wire.ts';

const statementSchema = z.strictObject({
  month: z.string().describe('Such as `2026-03`.'),
  time_zone: z.string().describe('Time zone in which the month ends: that of the account when the month was closed.'),
  starts_at: timeSchema.describe('End of the previous month.'),
  ends_at: timeSchema,
  is_closed: z.boolean().describe('Whether it is final. Later bookings belong to a later month.'),
  currency: z.string(),
  opening: moneySchema.describe('Balance at the start.'),
  top_ups: moneySchema,
  grants: moneySchema,
  refunds: moneySchema,
  adjustments: moneySchema,
  reversals: moneySchema.describe('Payments that were returned to the payer. Negative.'),
  charges: moneySchema.describe('Negative.'),
  closing: moneySchema.describe('Balance at the end, or now.'),
  open_amount: moneySchema.describe('The amount that the account owes at the end: its negative closing balance, or 0.'),
});

const modelSchema = z.strictObject({
  model: z.string().nullable().describe('Null: charges without a known model, and models that are not listed.'),
  amount: moneySchema,
});

const detailSchema = statementSchema.extend({
  models: z.array(modelSchema).describe('Charges by model, largest first. They add up to `charges`.'),
  document: z.string().nullable().describe('Number of its document. Null: the month is open, or had no movement.'),
  seller: partySchema.nullable().describe('As the document has it; without a document, as it is now.'),
  customer: partySchema,
});

const lineRow = {
  name: 'StatementLine',
  schema: lineSchema.extend({
    ...keyNameField,
    balance: moneySchema.describe('Balance after this entry.'),
    price_factor: z
      .string()
      .nullable()
      .describe('The factor of the package in the price of a charge, such as `1.20`. Null: no price is known.'),
  }),
};

/** Position after an entry, and the balance there, so that a page does not add up the pages before it. */
const cursorSchema = z.tuple([
  z.int(),
  z.string().max(20),
  z.string().max(300),
  z.string().regex(/^-?\d{1,12}\.\d{2,9}$/),
]);

export const statementEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/statements', 'listOwnStatements', 'account', {
    summary: 'List your monthly statements, newest first: opening balance, sums and closing balance.',
    reply: {
      name: 'Statements',
      schema: z.strictObject({ data: z.array(statementSchema) }),
      inside: [{ name: 'StatementSummary', schema: statementSchema }],
    },
    run: async ({ parts, caller }) => {
      const months = await listStatements(parts.store, parts.clock, ownAccount(caller));
      return { data: months.map((each) => summary(parts, each)) };
    },
  }),
  readEndpoint('GET /account/v1/statements/:id', 'getOwnStatement', 'account', {
    summary: 'Get the statement of a month such as `2026-03`, with its charges by model.',
    reply: { name: 'Statement', schema: detailSchema, inside: [partyReply] },
    run: async ({ parts, caller, id }) => {
      const accountId = ownAccount(caller);
      const statement = await statementAt(parts, accountId, id);
      const models = statement.sums.models.map(({ model, amount }) => ({
        model: model ?? null,
        amount: decimalText(amount),
      }));
      return { ...summary(parts, statement), models, ...(await statementParties(parts, accountId, id)) };
    },
  }),
  readEndpoint('GET /account/v1/statements/:id/lines', 'listOwnStatementLines', 'account', {
    summary: 'List the ledger entries of a month, oldest first, each with the balance after it.',
    query: z.strictObject(pageQuery(cursorSchema)),
    reply: pageOf(lineRow),
    run: async ({ parts, caller, id, query: { limit, cursor } }) => {
      const accountId = ownAccount(caller);
      const statement = await statementAt(parts, accountId, id);
      const from = cursor ? decodeCursor(cursor) : { balance: statement.opening };
      const lines = await linesFrom(parts, { accountId, statement, ...from, limit: limit + 1 });
      const position = (line: (typeof lines)[number]) => [
        line.at,
        line.kind,
        line.reference,
        decimalText(line.balance),
      ];
      const { data, next } = page(lines, limit, { shown: shownLine, position });
      return { data: await completed(parts, data), next };
    },
  }),
  readEndpoint('GET /account/v1/statements/:id/csv', 'exportOwnStatement', 'account', {
    summary: 'Export the ledger entries of a month as CSV.',
    ...csvReply('StatementTable', 'statement.csv'),
    run: async ({ parts, caller, id }) => {
      const accountId = ownAccount(caller);
      return statementTable(parts, accountId, await statementAt(parts, accountId, id));
    },
  }),
];

async function statementAt(
  { store, clock }: AdminParts,
  accountId: AccountId,
  month: string,
): Promise<MonthlyStatement> {
  const statement = await findStatement(store, clock, { accountId, month });
  if (!statement) throw missing('month');
  return statement;
}

function summary(parts: AdminParts, statement: MonthlyStatement) {
  const { from: startsAt, to: endsAt, sums } = statement;
  return documentAs(statementSchema.shape, {
    ...statement,
    ...sums,
    startsAt,
    endsAt,
    openAmount: openAmount(statement.closing),
    currency: parts.currency(),
  });
}

interface LinesPart {
  readonly accountId: AccountId;
  readonly statement: Pick<MonthlyStatement, 'from' | 'to'>;
  readonly before?: Pick<LedgerLine, 'at' | 'kind' | 'reference'> | undefined;
  readonly balance: Nano;
  readonly limit: number;
}

async function linesFrom({ store }: AdminParts, { accountId, statement, before, balance, limit }: LinesPart) {
  const { from: since, to: until } = statement;
  const lines = await ledgerLines(store, { accountId, since, until, before, limit, order: 'oldest-first' });
  let sum = balance;
  return lines.map((line) => {
    sum += line.amount;
    return { ...line, balance: sum };
  });
}

function decodeCursor([at, kind, reference, balance]: z.output<typeof cursorSchema>) {
  return { before: { at, kind: kind as LedgerLine['kind'], reference }, balance: nanoFrom(balance) };
}

type StatementLine = LedgerLine & { readonly balance: Nano };

function shownLine({ balance, ...line }: StatementLine) {
  const id = `${line.at}.${line.kind}.${line.reference}`;
  return { ...lineDocument({ ...line, id }), balance: decimalText(balance) };
}

/** Adds the names of keys and the factors of packages, with one query each. */
async function completed(parts: AdminParts, lines: readonly ReturnType<typeof shownLine>[]) {
  const factors = await rememberedFactors(
    parts.store,
    lines.map(({ price_version: version }) => version),
  );
  const factorOf = (version: string | null): string | null => {
    const factor = factors.get(version ?? '');
    return factor === undefined ? null : unitsText(factor, factorPlaces);
  };
  const named = await withKeyNames(parts.store, lines);
  return named.map((line) => ({ ...line, price_factor: factorOf(line.price_version) }));
}

const header = [
  'at',
  'kind',
  'amount',
  'balance',
  'currency',
  'reference',
  'key_id',
  'key_name',
  'by',
  'reason',
  'price_factor',
];

async function statementTable(parts: AdminParts, accountId: AccountId, statement: MonthlyStatement) {
  const { from, to, opening, closing } = statement;
  const currency = parts.currency();
  const edge = (at: number, kind: string, balance: Nano) =>
    csvLine([isoTime(at), kind, '', decimalText(balance), currency, '', '', '', '', '', '']);
  const rows = await csvRows<StatementLine>([csvLine(header), edge(from, 'opening', opening)], {
    read: (before, limit) =>
      linesFrom(parts, { accountId, statement, before, balance: before?.balance ?? opening, limit }),
    rowsOf: async (lines) => {
      const shown = await completed(parts, lines.map(shownLine));
      return shown.map((line) => {
        const figures = [line.at, line.kind, line.amount, line.balance, currency];
        const texts = [line.reference, line.key_id ?? '', line.key_name ?? '', line.by, line.reason];
        return csvLine([...figures, ...texts.map(escapeFormula), line.price_factor ?? '']);
      });
    },
    refusal: 'too_many_statement_lines',
  });
  return csvText([...rows, edge(to, 'closing', closing)]);
}
