import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ruled } from './ruled.ts';
import { accounts } from '../src/money/accounts/accounts.ts';
import { credits } from '../src/money/billing/ledger/credits.ts';
import { journal } from '../src/money/billing/recovery/journal.ts';
import { verifyLedger } from '../src/money/billing/ledger/verify.ts';
import { wallet } from '../src/money/billing/wallet.ts';
import { changeFeed } from '../src/platform/cluster/change-feed.ts';
import { systemClock } from '../src/core/time/clock.ts';
import { requestIds } from '../src/core/request-id.ts';
import { openStore, type StoreLocation } from '../src/platform/store/store.ts';
import { startPostgres } from '../test/services/postgres.ts';

/** Concurrent settlements, and the number of their accounts. */
const cases = [
  { title: 'one request after another', atOnce: 1, accountCount: 1 },
  { title: '64 at once, 50 accounts', atOnce: 64, accountCount: 50 },
  { title: '64 at once, one account', atOnce: 64, accountCount: 1 },
] as const;

const roundMs = 3000;

/** Settles requests as fast as the store accepts them. */
async function measure(place: StoreLocation, directory: string, { atOnce, accountCount }: (typeof cases)[number]) {
  const store = await openStore(place);
  const newId = requestIds(systemClock);
  const feed = changeFeed(store, { clock: systemClock });
  const accountLease = wallet({
    store,
    clock: systemClock,
    feed,
    newId,
    journal: (id) => journal(join(directory, 'journal'), id),
    onError: (error) => {
      throw error;
    },
  });
  const ids: string[] = [];
  for (let i = 0; i < accountCount; i++) {
    const { id } = await accounts(store, systemClock).create({ name: newId(), packageName: 'standard' });
    await credits(store, systemClock).topUp({
      accountId: id,
      amount: 10n ** 15n,
      reference: id,
      by: 'bench',
      reason: 'bench',
    });
    ids.push(id);
  }
  await accountLease.start();
  const cpuBefore = process.cpuUsage();
  const startedMs = systemClock.elapsed();
  let settled = 0;
  const client = async (number: number): Promise<void> => {
    while (systemClock.elapsed() - startedMs < roundMs) {
      const accountId = ids[(number + settled) % ids.length] ?? '';
      const hold = await accountLease.hold(
        { requestId: newId(), accountId, keyId: 'bench', priceVersion: 'bench' },
        1000n,
      );
      await hold.post(700n);
      settled += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, (_, number) => client(number)));
  const seconds = (systemClock.elapsed() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  await accountLease.stop();
  const { isSound } = await verifyLedger(store);
  await store.close();
  return { perSecond: settled / seconds, cpuPerRequest: (user + system) / settled, isSound };
}

const directory = await mkdtemp(join(tmpdir(), 'chat-gateway-ledger-bench-'));
const postgres = await startPostgres(['fsync=on']);
const table = [
  ['settled requests', 'PostgreSQL / SQLite: rate', 'PostgreSQL / SQLite: CPU of the gateway each', 'ledger sound'],
];
for (const each of cases) {
  console.error(`measuring: ${each.title}`);
  const sqlite = await measure({ data: await mkdtemp(join(directory, 'sqlite-')) }, directory, each);
  const shared = await measure({ database: await postgres.createDatabase() }, directory, each);
  table.push([
    each.title,
    (shared.perSecond / sqlite.perSecond).toFixed(2),
    (shared.cpuPerRequest / sqlite.cpuPerRequest).toFixed(2),
    sqlite.isSound && shared.isSound ? 'yes' : 'NO',
  ]);
}
console.log(ruled(table));
await postgres.stop();
await rm(directory, { recursive: true, force: true });
