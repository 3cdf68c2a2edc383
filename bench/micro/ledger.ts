import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accounts } from '../../src/money/accounts/accounts.ts';
import type { Settlement } from '../../src/money/billing/ledger/charging.ts';
import { credits } from '../../src/money/billing/ledger/credits.ts';
import { adjustLease } from '../../src/money/billing/wallet/leases.ts';
import { registerProcess } from '../../src/money/billing/recovery/processes.ts';
import { settleCharges } from '../../src/money/billing/settle.ts';
import { wallet } from '../../src/money/billing/wallet.ts';
import type { HoldName } from '../../src/money/billing/wallet/hold.ts';
import type { SpendLimit } from '../../src/core/caller.ts';
import type { CapPeriod } from '../../src/core/time/cap-period.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { connectSqlite, type SqliteConnection } from '../../src/platform/store/sqlite/sqlite-database.ts';
import { runOnSqlite } from '../../src/platform/store/sqlite/sqlite-jobs.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import type { Micro } from './measure.ts';

const plenty = 10n ** 15n;
const processId = 'bench';

/** The work of the ledger for a request: a hold in memory, and a charge that is written in batches. */
export async function ledgerMicros(): Promise<readonly Micro[]> {
  const stage = await settlingStage();
  return [...(await holdMicros()), ...[1, 10, 30, 100].map((count) => settleMicro(stage, count))];
}

async function holdMicros(): Promise<readonly Micro[]> {
  const store = await openStore({ data: folder() });
  const accountId = await richAccount(store);
  const nothing = () => Promise.resolve();
  const accountLease = wallet({
    store,
    clock: systemClock,
    feed: { subscribe: () => () => {}, publish: nothing },
    newId: () => processId,
    journal: () => ({
      bytes: 0,
      note: () => {},
      sync: nothing,
      append: nothing,
      taken: () => {},
      tidy: nothing,
      close: nothing,
    }),
    onError: (error) => {
      throw error;
    },
  });
  await accountLease.start();
  const name = { requestId: 'r', accountId, keyId: 'k', priceVersion: 'p' };
  const limitOf = (period: CapPeriod): SpendLimit => {
    return { scope: 'account', subjectId: accountId, amount: plenty, renewal: { period, timeZone: 'UTC' } };
  };
  const limited = { ...name, limits: [limitOf('day'), limitOf('month')] };
  (await accountLease.hold(limited, 10n ** 9n)).void();
  const holdAndVoid = (of: HoldName) => {
    const hold = accountLease.hold(of, 1000n);
    if (hold instanceof Promise) throw new Error('A hold must not wait for the store.');
    hold.void();
    return hold;
  };
  const counts = { free: plenty, held: 0n };
  return [
    {
      name: 'hold money and void the hold',
      floorName: 'decrement and increment two sums',
      work: () => holdAndVoid(name),
      floor() {
        counts.free -= 1000n;
        counts.held += 1000n;
        counts.free += 1000n;
        counts.held -= 1000n;
        return counts;
      },
    },
    {
      name: 'hold money under two limits and void the hold',
      floorName: 'the same without limits',
      work: () => holdAndVoid(limited),
      floor: () => holdAndVoid(name),
    },
  ];
}

interface LedgerStage {
  readonly database: SqliteConnection;
  readonly accountId: string;
}

/** A ledger in a file, without waiting for the disk. */
async function settlingStage(): Promise<LedgerStage> {
  const data = folder();
  const store = await openStore({ data });
  const accountId = await richAccount(store);
  await registerProcess(store, processId);
  const wish = { leased: 0n, free: 0n, amounts: [plenty], spare: 'keep' } as const;
  await store.commit(adjustLease, { name: { processId, accountId }, wish });
  await store.close();
  const database = connectSqlite(join(data, 'gateway.db'), { now: systemClock.now, busyWaitMs: 0 });
  database.query('pragma synchronous = off', []);
  return { database, accountId };
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'chat-gateway-micro-'));
  process.once('exit', () => rmSync(made, { recursive: true }));
  return made;
}

async function richAccount(store: Store): Promise<string> {
  const { id: accountId } = await accounts(store, systemClock).create({ name: 'ann', packageName: 'standard' });
  const order = { accountId, amount: 2n * plenty, reference: accountId, by: 'bench', reason: 'bench' };
  await credits(store, systemClock).topUp(order);
  return accountId;
}

let requests = 0;

function settleMicro({ database, accountId }: LedgerStage, count: number): Micro {
  const terms = { accountId, keyId: 'k', processId, held: 20n, cost: 10n, priceVersion: 'p' } as const;
  const settlement = (): Settlement => ({
    ...terms,
    requestId: `r${(requests += 1)}`,
    by: 'gateway',
    reason: 'request',
    at: 1_800_000_000_000,
  });
  return {
    name: count === 1 ? 'settle a charge' : `settle ${count} charges`,
    floorName: 'insert their rows one by one',
    work: () => runOnSqlite(database, settleCharges.steps(Array.from({ length: count }, settlement))),
    floor() {
      database.query('begin immediate', []);
      for (let index = 0; index < count; index += 1) insertPlainly(database, settlement());
      database.query(changed, [accountId]);
      return database.query('commit', []);
    },
  };
}

const transfer = `insert into transfers (reference, kind, account_id, key_id, amount, "by", reason, price_version, at, held)
  values (?, 'charge', ?, ?, -10, 'gateway', 'request', ?, ?, 20)`;
const entry = "insert into entries (reference, kind, account, amount) values (?, 'charge', ?, ?)";
const changed = 'update balances set topped_up = topped_up - 0 where account_id = ?';

function insertPlainly(database: SqliteConnection, settlement: Settlement): void {
  const { requestId, accountId, keyId, priceVersion, at } = settlement;
  database.query(transfer, [requestId, accountId, keyId, priceVersion, at]);
  database.query(entry, [requestId, 'revenue', 10]);
  database.query(entry, [requestId, `customer:${accountId}:topped_up`, -10]);
}
