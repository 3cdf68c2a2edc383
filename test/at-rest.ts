import { expect } from 'vitest';
import { verifyLedger } from '../src/billing/verify.ts';
import type { Gateway } from '../src/gateway/gateway.ts';
import type { Store } from '../src/store/store.ts';

/** What was open before a fault; what is there afterwards must not be more. */
export interface Base {
  readonly timers: number;
  readonly connections: number;
}

/** Taken before a fault, with the gateway already running. */
export function baseOf(gateway: Gateway): Base {
  return { timers: timers(), connections: gateway.alive().connections };
}

/**
 * What must be true after every fault: nobody is being served, no slot and no hold is taken, no connection and no timer
 * is left, the ledger adds up, and no request of the store ended in a status that nobody can explain. `fetch` keeps its
 * connections for later; whoever uses it leaves the base out, or asks through `chat-client` and `raw-client` instead.
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

/** The part of it that a stopped gateway leaves in its store. */
export async function expectSound(store: Store): Promise<void> {
  const { checks } = await verifyLedger(store);
  expect(checks.flatMap(({ violations }) => violations)).toEqual([]);
  const unexplained = store.db.selectFrom('requests').select(['id', 'status']).where('status', 'in', [429, 500]);
  expect(await unexplained.execute()).toEqual([]);
  await expectBodiesCounted(store);
}

/** What each account has of stored bodies is what was counted of it. */
async function expectBodiesCounted({ db }: Store): Promise<void> {
  const stored = await db
    .selectFrom('stored_bodies')
    .select((all) => ['account_id', all.fn.countAll().as('requests'), all.fn.sum('bytes').as('bytes')])
    .groupBy('account_id')
    .execute();
  const sums = await db.selectFrom('stored_body_sums').selectAll().where('requests', '>', 0).execute();
  const figures = (rows: readonly { account_id: string; requests: unknown; bytes: unknown }[]) =>
    rows.map(({ account_id, requests, bytes }) => `${account_id} ${Number(requests)} ${Number(bytes)}`).toSorted();
  expect(figures(sums)).toEqual(figures(stored));
}

/** The timer of the poll that looks. */
const ownTimers = 1;

/** Only those that would keep the process from ending. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
}
