import { expect } from 'vitest';
import { verifyLedger } from '../src/money/billing/ledger/verify.ts';
import type { Gateway } from '../src/app/gateway.ts';
import type { Store } from '../src/platform/store/store.ts';

/** Open timers and connections before a fault. Afterwards there must not be more. */
export interface Base {
  readonly timers: number;
  readonly connections: number;
}

/** Call it before the fault, when the gateway already runs. */
export function baseOf(gateway: Gateway): Base {
  return { timers: timers(), connections: gateway.alive().connections };
}

/**
 * Must hold after every fault: no request, slot, hold, connection or timer is left, the ledger is sound, and no stored
 * request has status 429 or 500. `fetch` keeps its connections open. A test that uses it passes no base, or uses
 * `chat-client` and `raw-client` instead.
 */
export async function expectAtRest(gateway: Gateway, base?: Base): Promise<void> {
  const nothing = { exchanges: 0, answers: 0, requests: 0, holds: 0, waiting: 0, calls: 0, retries: 0 };
  await expect.poll(() => gateway.alive()).toMatchObject(nothing);
  if (base) {
    const connections = () => gateway.alive().connections;
    await expect.poll(connections).toBeLessThanOrEqual(base.connections);
    await expect.poll(timers).toBeLessThanOrEqual(base.timers + ownTimers);
  }
  await expectSound(gateway.store);
}

/** The part of these checks that only needs the store, also after the gateway has stopped. */
export async function expectSound(store: Store): Promise<void> {
  const { checks } = await verifyLedger(store);
  expect(checks.flatMap(({ violations }) => violations)).toEqual([]);
  const unexplained = store.db.selectFrom('requests').select(['id', 'status']).where('status', 'in', [429, 500]);
  expect(await unexplained.execute()).toEqual([]);
  await expectBlobsCounted(store);
}

/** The sums of each account match its stored responses and bodies. */
async function expectBlobsCounted({ db }: Store): Promise<void> {
  const stored = await db
    .selectFrom('sealed_blobs')
    .select((all) => ['kind', 'account_id', all.fn.countAll().as('blobs'), all.fn.sum('bytes').as('bytes')])
    .groupBy(['kind', 'account_id'])
    .execute();
  const sums = await db.selectFrom('blob_sums').selectAll().where('blobs', '>', 0).execute();
  const figures = (rows: readonly { kind: string; account_id: string; blobs: unknown; bytes: unknown }[]) =>
    rows.map((row) => `${row.kind} ${row.account_id} ${Number(row.blobs)} ${Number(row.bytes)}`).toSorted();
  expect(figures(sums)).toEqual(figures(stored));
}

/** The timer of `expect.poll` itself. */
const ownTimers = 1;

/** Counts only timers that keep the process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}
