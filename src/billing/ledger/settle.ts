import type { Nano } from '../../core/money.ts';
import { eventStatements } from '../../notifications/outbox/record-event.ts';
import {
  type JobStatement,
  statementsFor,
  type FieldValue,
  type Job,
  jsonText,
  type Row,
  type Steps,
} from '../../store/job.ts';
import { insertion, selection } from '../../store/row-statements.ts';
import { type Booking, entryRows, type TransferRow, transferRow } from './book.ts';
import { chargeSums } from './charge-sums.ts';
import { type BookedCharges, chargeSettlements, type Settlement, type UnsettledCharges } from './charging.ts';
import { balancesBefore, lowBalanceEvents } from './low-balance.ts';
import { type KeyLease, keyLeaseStatements, keyLeasesIn, keyLeasesOf } from '../caps/key-leases.ts';
import { decodeSettlement, type SettlementJson, encodeSettlement } from './settlement-json.ts';
import {
  accountsIn,
  balanceStatements,
  leaseStatements,
  leasesIn,
  lockedBalances,
  money,
} from './ledger-statements.ts';

/** Charges requests in one transaction: reads the state, charges, writes the changes. */
export const settleCharges: Job<readonly Settlement[], UnsettledCharges> = {
  module: import.meta.url,
  name: 'settleCharges',
  packing: {
    pack: (settlements) => JSON.stringify(settlements.map(encodeSettlement)),
    unpack: (text) => (JSON.parse(text) as readonly SettlementJson[]).map(decodeSettlement),
  },
  *steps(settlements): Steps<UnsettledCharges> {
    const parameter = namesOf(settlements);
    const capLeases = capLeasesOf(settlements);
    const reads = [lockedBalances, theirLeases, bookedCharges].map((statement) => ({ statement, parameter }));
    const [balanceRows = [], leaseRows = [], bookedRows = [], capRows = []] = yield [...reads, ...capLeases];
    const accounts = accountsIn(balanceRows);
    const before = balancesBefore(accounts.values());
    const leases = new Map(leasesIn(leaseRows).map((lease) => [leaseName(lease), lease]));
    const caps = new Map(keyLeasesIn(capRows).map((lease) => [capName(lease), lease]));
    const { bookings, short, broken } = chargeSettlements(settlements, {
      accounts,
      leaseOf: (settlement) => leases.get(leaseName(settlement)) ?? { amount: 0n },
      capLeaseOf: ({ capLease }) => capLease && caps.get(capName(capLease)),
      booked: bookedIn(bookedRows),
    });
    const transfers = bookings.map(transferRow);
    const last = [
      ...statementsFor(insertTransfers, transfers.map(transferFields)),
      ...statementsFor(insertEntries, bookings.flatMap(entryFields)),
      ...chargeSums(transfers),
      ...eventStatements(lowBalanceEvents(before, accounts, bookings.at(-1)?.at ?? 0)),
      ...(bookings.length > 0 ? [...balanceStatements(accounts.values()), ...leaseStatements(leases.values())] : []),
      ...(bookings.length > 0 ? keyLeaseStatements(caps.values()) : []),
      { statement: deleteCheckpoints, parameter },
    ];
    return { last, result: { short, broken } };
  },
};

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
  const each = (name: 'accountId' | 'processId' | 'requestId') => [...new Set(settlements.map((of) => of[name]))];
  return jsonText({ accounts: each('accountId'), processes: each('processId'), requests: each('requestId') });
}

/** Read after the balances are locked: a lease changes only together with its balance. */
const theirLeases = selection(
  'ledger leases',
  `select process_id, account_id, cast(amount as text) as amount from leases
  where account_id in @accounts and process_id in @processes`,
);

/** Reads nothing if no key has a cap. */
function capLeasesOf(settlements: readonly Settlement[]): readonly JobStatement[] {
  const named = settlements.flatMap(({ capLease }) => (capLease ? [capLease] : []));
  if (named.length === 0) return [];
  const each = (name: 'processId' | 'budget') => [...new Set(named.map((of) => of[name]))];
  return [{ statement: keyLeasesOf, parameter: jsonText({ processes: each('processId'), budgets: each('budget') }) }];
}

function capName({ processId, budget }: Pick<KeyLease, 'processId' | 'budget'>): string {
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
