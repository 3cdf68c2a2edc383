import { z } from 'zod';
import type { AccountId } from '../accounts/ids.ts';
import { ledgerLines, type LedgerLine } from '../billing/ledger-lines.ts';
import { findStatement, listStatements, type MonthlyStatement } from '../billing/statements.ts';
import { decimalText, nanoFrom, type Nano } from '../core/money.ts';
import type { AdminCaller } from './caller.ts';
import { type Endpoint, reading } from './endpoint.ts';
import { csvLine, harmless } from './csv.ts';
import { lineDocument, lineSchema } from './money.ts';
import { keyNameField, withKeyNames } from './names.ts';
import { page, pageOf, pageQuery } from './page.ts';
import type { AdminParts } from './parts.ts';
import { missing, refused } from './sent-values.ts';
import { isoTime, moneySchema, timeSchema } from './wire.ts';
import { reason } from '../core/reasons/reason.ts';

const statementSchema = z.strictObject({
  month: z.string().describe('As `2026-03`.'),
  time_zone: z.string().describe('By whose clocks it ends: those of the account, as they were when it was closed.'),
  starts_at: timeSchema.describe('Where the month before ended.'),
  ends_at: timeSchema,
  is_closed: z.boolean().describe('Nothing of it changes any more: what is booked later belongs to a later month.'),
  currency: z.string(),
  opening: moneySchema.describe('The balance when it began.'),
  top_ups: moneySchema,
  grants: moneySchema,
  refunds: moneySchema,
  adjustments: moneySchema,
  reversals: moneySchema.describe('What went back to whoever had paid it in; negative.'),
  charges: moneySchema.describe('What was spent is negative.'),
  closing: moneySchema.describe('The balance when it ended, or now.'),
});

const modelSchema = z.strictObject({
  model: z
    .string()
    .nullable()
    .describe('Null: what belongs to no model that is known, or to more models than are listed.'),
  amount: moneySchema,
});

const detailSchema = statementSchema.extend({
  models: z.array(modelSchema).describe('The charges by model, the largest first. They add up to `charges`.'),
});

const lineRow = {
  name: 'StatementLine',
  schema: lineSchema.extend({
    ...keyNameField,
    balance: moneySchema.describe('What the account had behind this line.'),
  }),
};

/** The place behind a line, and the balance there: nobody adds up anew what stands on the pages before. */
const place = z.tuple([z.int(), z.string().max(20), z.string().max(300), z.string().regex(/^-?\d{1,12}\.\d{2,9}$/)]);

/** What fits into memory and a spreadsheet without anybody waiting for it. */
const tableLinesMax = 50_000;
const linesPerRead = 5000;

/** An account's months. */
export function statementEndpoints(ownAccount: (caller: AdminCaller) => AccountId): readonly Endpoint[] {
  return [
    reading({
      method: 'GET',
      path: '/account/v1/statements',
      operationId: 'listOwnStatements',
      summary: 'Your months, newest first: what you had, what moved it, what you had then.',
      access: 'account',
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
    reading({
      method: 'GET',
      path: '/account/v1/statements/:id',
      operationId: 'getOwnStatement',
      summary: 'One month, as `2026-03`, with its charges by model.',
      access: 'account',
      reply: { name: 'Statement', schema: detailSchema },
      run: async ({ parts, caller, id }) => {
        const statement = await statementAt(parts, ownAccount(caller), id);
        const models = statement.sums.models.map(({ model, amount }) => ({
          model: model ?? null,
          amount: decimalText(amount),
        }));
        return { ...summary(parts, statement), models };
      },
    }),
    reading({
      method: 'GET',
      path: '/account/v1/statements/:id/lines',
      operationId: 'listOwnStatementLines',
      summary: 'Every movement of a month, oldest first, each with the balance behind it.',
      access: 'account',
      query: z.strictObject(pageQuery(place)),
      reply: pageOf(lineRow),
      run: async ({ parts, caller, id, query: { limit, cursor } }) => {
        const accountId = ownAccount(caller);
        const statement = await statementAt(parts, accountId, id);
        const from = cursor ? behind(cursor) : { balance: statement.opening };
        const lines = await linesFrom(parts, { accountId, statement, ...from, limit: limit + 1 });
        const position = (line: (typeof lines)[number]) => [
          line.at,
          line.kind,
          line.reference,
          decimalText(line.balance),
        ];
        const { data, next } = page(lines, limit, { shown: shownLine, position });
        return { data: await withKeyNames(parts.store, data), next };
      },
    }),
    reading({
      method: 'GET',
      path: '/account/v1/statements/:id/csv',
      operationId: 'exportOwnStatement',
      summary: 'The same as a table for spreadsheets.',
      access: 'account',
      reply: { name: 'StatementTable', schema: z.string() },
      media: { type: 'text/csv', fileName: 'statement.csv' },
      run: async ({ parts, caller, id }) => {
        const accountId = ownAccount(caller);
        return statementTable(parts, accountId, await statementAt(parts, accountId, id));
      },
    }),
  ];
}

async function statementAt(
  { store, clock }: AdminParts,
  accountId: AccountId,
  month: string,
): Promise<MonthlyStatement> {
  const statement = await findStatement(store, clock, { accountId, month });
  if (!statement) throw missing('month');
  return statement;
}

function summary(parts: AdminParts, { month, timeZone, from, to, isClosed, opening, closing, sums }: MonthlyStatement) {
  return {
    month,
    time_zone: timeZone,
    starts_at: isoTime(from),
    ends_at: isoTime(to),
    is_closed: isClosed,
    currency: parts.currency(),
    opening: decimalText(opening),
    top_ups: decimalText(sums.topUps),
    grants: decimalText(sums.grants),
    refunds: decimalText(sums.refunds),
    adjustments: decimalText(sums.adjustments),
    reversals: decimalText(sums.reversals),
    charges: decimalText(sums.charges),
    closing: decimalText(closing),
  };
}

interface LinesPart {
  readonly accountId: AccountId;
  readonly statement: Pick<MonthlyStatement, 'from' | 'to'>;
  readonly before?: Pick<LedgerLine, 'at' | 'kind' | 'reference'>;
  /** Before the first of them. */
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

function behind([at, kind, reference, balance]: z.output<typeof place>) {
  return { before: { at, kind: kind as LedgerLine['kind'], reference }, balance: nanoFrom(balance) };
}

function shownLine({ balance, ...line }: LedgerLine & { readonly balance: Nano }) {
  const id = `${line.at}.${line.kind}.${line.reference}`;
  return { ...lineDocument({ ...line, id }), balance: decimalText(balance) };
}

const header = ['at', 'kind', 'amount', 'balance', 'currency', 'reference', 'key_id', 'key_name', 'by', 'reason'];

/** All of its lines or a refusal: half a table looks like a whole one. */
async function statementTable(parts: AdminParts, accountId: AccountId, statement: MonthlyStatement) {
  const { from, to, opening, closing } = statement;
  const currency = parts.currency();
  const edge = (at: number, kind: string, balance: Nano) =>
    csvLine([isoTime(at), kind, '', decimalText(balance), currency, '', '', '', '', '']);
  const rows = [header.join(','), edge(from, 'opening', opening)];
  let balance = opening;
  for (let before: LinesPart['before']; ; ) {
    const lines = await linesFrom(parts, {
      accountId,
      statement,
      ...(before && { before }),
      balance,
      limit: linesPerRead,
    });
    for (const line of await withKeyNames(parts.store, lines.map(shownLine))) {
      const figures = [line.at, line.kind, line.amount, line.balance, currency];
      const texts = [line.reference, line.key_id ?? '', line.key_name ?? '', line.by, line.reason];
      rows.push(csvLine([...figures, ...texts.map(harmless)]));
    }
    if (rows.length > tableLinesMax) {
      throw refused(reason('too_many_statement_lines', { max: tableLinesMax }));
    }
    before = lines.at(-1);
    balance = lines.at(-1)?.balance ?? balance;
    if (lines.length < linesPerRead) break;
  }
  rows.push(edge(to, 'closing', closing));
  return `${rows.join('\r\n')}\r\n`;
}
