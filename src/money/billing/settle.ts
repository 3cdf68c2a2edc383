import { currentIn, currentRequests, outcomeStatements } from '../../platform/outbox/line-outcome.ts';
import type { LineOutcome } from '../../core/line-outcome.ts';
import type { Nano } from '../../core/money.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { eventStatements } from '../../platform/outbox/record-event.ts';
import {
  type JobStatement,
  statementsFor,
  type FieldValue,
  type Job,
  jsonText,
  type Row,
  type Steps,
} from '../../platform/store/job.ts';
import { insertion, selection } from '../../platform/store/row-statements.ts';
import { type Booking, entryRows, type TransferRow, transferRow } from './ledger/book.ts';
import { chargeSums } from './ledger/charge-sums.ts';
import {
  type BookedCharges,
  chargeSettlements,
  type Settlement,
  shortOf,
  type UnsettledCharges,
} from './ledger/charging.ts';
import { balancesBefore, lowBalanceEvents } from './ledger/low-balance.ts';
import { addCharges, chargedSpend, chargedSpendRows, spendStatements } from './budgets/budget-spend.ts';
import { thresholdEvents } from './budgets/limit-events.ts';
import { type BudgetLease, budgetLeaseStatements, budgetLeasesIn, budgetLeasesOf } from './budgets/budget-leases.ts';
import { decodeSettlement, type SettlementJson, encodeSettlement } from './ledger/settlement-json.ts';
import {
  accountsIn,
  balanceStatements,
  leaseStatements,
  leasesIn,
  lockedBalances,
  money,
} from './ledger/ledger-statements.ts';

/** Charges requests in one transaction: reads the state, charges, writes the changes. */
export const settleCharges: Job<readonly Settlement[], UnsettledCharges> = {
  module: import.meta.url,
  name: 'settleCharges',
  packing: {
    pack: (settlements) => JSON.stringify(settlements.map(encodeSettlement)),
    unpack: (text) => (ownJson(text) as readonly SettlementJson[]).map(decodeSettlement),
  },
  *steps(settlements): Steps<UnsettledCharges> {
    const parameter = namesOf(settlements);
    const statements = [lockedBalances, limitedOrganisations, theirLeases, bookedCharges, chargedSpend];
    const reads = statements.map((statement) => ({ statement, parameter }));
    const budgetReads = budgetLeaseReads(settlements);
    const lines = settlements.filter(isOfLine);
    const lineReads = currentRequests(lines.map(({ requestId }) => requestId));
    const rows = yield [...reads, ...budgetReads, ...lineReads];
    const [balanceRows = [], , leaseRows = [], bookedRows = [], spendRows = []] = rows;
    const budgetRows = budgetReads.length > 0 ? (rows[reads.length] ?? []) : [];
    const runsLine = currentIn(lineReads.length > 0 ? (rows.at(-1) ?? []) : []);
    const accounts = accountsIn(balanceRows);
    const before = balancesBefore(accounts.values());
    const leases = new Map(leasesIn(leaseRows).map((lease) => [leaseName(lease), lease]));
    const budgetLeases = new Map(budgetLeasesIn(budgetRows).map((lease) => [budgetLeaseName(lease), lease]));
    const isLost = ({ line, requestId }: Settlement): boolean => line !== undefined && !runsLine.has(requestId);
    const charged = settlements.filter((settlement) => !isLost(settlement));
    const booked = bookedIn(bookedRows);
    const { bookings, short, broken } = chargeSettlements(charged, {
      accounts,
      leaseOf: (settlement) => leases.get(leaseName(settlement)) ?? { amount: 0n },
      budgetLeasesOf: ({ budgetLeases: named = [] }) =>
        named.flatMap((name) => budgetLeases.get(budgetLeaseName(name)) ?? []),
      booked,
    });
    const transfers = bookings.map(transferRow);
    const spendChanges = addCharges(chargedSpendRows(spendRows), transfers);
    const at = bookings.at(-1)?.at ?? 0;
    const last = [
      ...statementsFor(insertTransfers, transfers.map(transferFields)),
      ...statementsFor(insertEntries, bookings.flatMap(entryFields)),
      ...chargeSums(transfers),
      ...spendStatements(spendChanges),
      ...eventStatements([
        ...lowBalanceEvents(before, accounts, at),
        ...spendChanges.flatMap((each) => thresholdEvents(each, at)),
      ]),
      ...(bookings.length > 0 ? [...balanceStatements(accounts.values()), ...leaseStatements(leases.values())] : []),
      ...(bookings.length > 0 ? budgetLeaseStatements(budgetLeases.values()) : []),
      ...outcomeStatements(
        lines
          .filter(({ requestId }) => runsLine.has(requestId) && !broken.has(requestId))
          .map(({ requestId, line }) => ({ requestId, cost: booked.get(requestId)?.amount ?? 0n, outcome: line })),
      ),
      { statement: deleteCheckpoints, parameter },
    ];
    return { last, result: { short, broken, stillLeased: shortOf(settlements.filter(isLost), booked) } };
  },
};

type LineSettlement = Settlement & { readonly line: LineOutcome };

function isOfLine(settlement: Settlement): settlement is LineSettlement {
  return settlement.line !== undefined;
}

/** The charged amount of each request. Requests without a charge are left out. */
export const chargedSoFar: Job<readonly string[], ReadonlyMap<string, Nano>> = {
  module: import.meta.url,
  name: 'chargedSoFar',
  *steps(requests): Steps<ReadonlyMap<string, Nano>> {
    const [rows = []] = yield [{ statement: bookedCharges, parameter: jsonText({ requests }) }];
    const booked = [...bookedIn(rows)].map(([requestId, { amount }]) => [requestId, amount] as const);
    return { last: [], result: new Map(booked) };
  },
};

/** The parameters of all reads, without duplicates. */
function namesOf(settlements: readonly Settlement[]): string {
  const each = (name: 'accountId' | 'keyId' | 'processId' | 'requestId') => [
    ...new Set(settlements.map((of) => of[name])),
  ];
  const names = { accounts: each('accountId'), keys: each('keyId') };
  return jsonText({ ...names, processes: each('processId'), requests: each('requestId') });
}

/**
 * Locks the organisations of these accounts that have limits. An organisation gets its first limit while all its
 * accounts are locked.
 */
const limitedOrganisations = selection(
  'limited organisations',
  `select id from organisations where limits is not null
  and id in (select organisation_id from accounts where id in @accounts) order by id`,
  'for update',
);

/** Read after the balances are locked: a lease changes only together with its balance. */
const theirLeases = selection(
  'ledger leases',
  `select process_id, account_id, cast(amount as text) as amount from leases
  where account_id in @accounts and process_id in @processes`,
);

/** Reads nothing if no request has limits. */
function budgetLeaseReads(settlements: readonly Settlement[]): readonly JobStatement[] {
  const named = settlements.flatMap(({ budgetLeases = [] }) => budgetLeases);
  if (named.length === 0) return [];
  const each = (name: 'processId' | 'budget') => [...new Set(named.map((of) => of[name]))];
  return [
    { statement: budgetLeasesOf, parameter: jsonText({ processes: each('processId'), budgets: each('budget') }) },
  ];
}

function budgetLeaseName({ processId, budget }: Pick<BudgetLease, 'processId' | 'budget'>): string {
  return `${processId}\0${budget}`;
}

function leaseName({ processId, accountId }: Pick<Settlement, 'processId' | 'accountId'>): string {
  return `${processId}\0${accountId}`;
}

const bookedCharges = selection(
  'ledger charges',
  `select reference, "by", cast(amount as text) as amount, cast(coalesce((select entries.amount from entries
  where entries.reference = transfers.reference and entries.kind = transfers.kind
  and entries.account = 'customer:' || transfers.account_id || ':granted'), 0) as text) as granted from transfers
  where reference in @requests and kind in ('charge', 'charge-rest')`,
);

function bookedIn(rows: readonly Row[]): Map<string, BookedCharges> {
  const booked = new Map<string, BookedCharges>();
  for (const { reference, by, amount, granted } of rows) {
    const before = booked.get(String(reference)) ?? { amount: 0n, granted: 0n };
    // A `charge-rest` is final, whichever charge came before it.
    const last = 'by' in before ? 'gateway' : String(by);
    const sums = { amount: before.amount - money(amount), granted: before.granted - money(granted) };
    booked.set(String(reference), { ...sums, by: last });
  }
  return booked;
}

const insertTransfers = insertion('transfers', {
  reference: 'text',
  kind: 'text',
  account_id: 'text',
  key_id: 'text',
  amount: 'bigint',
  by: 'text',
  reason: 'text',
  price_version: 'text',
  at: 'bigint',
  held: 'bigint',
});

function transferFields(row: TransferRow): readonly FieldValue[] {
  return [
    row.reference,
    row.kind,
    row.account_id,
    row.key_id,
    String(row.amount),
    row.by,
    row.reason,
    row.price_version,
    row.at,
    row.held === undefined ? null : String(row.held),
  ];
}

const insertEntries = insertion('entries', { reference: 'text', kind: 'text', account: 'text', amount: 'bigint' });

function entryFields(booking: Booking): readonly (readonly FieldValue[])[] {
  return entryRows(booking).map(({ reference, kind, account, amount }) => [reference, kind, account, String(amount)]);
}

/** Few requests last long enough to have a checkpoint, so one statement deletes all. */
const deleteCheckpoints = selection('settled checkpoints', 'delete from open_charges where request_id in @requests');
