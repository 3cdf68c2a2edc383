import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { credits } from '../../money/billing/ledger/credits.ts';
import { settleCharges } from '../../money/billing/settle.ts';
import { registerProcess } from '../../money/billing/recovery/processes.ts';
import type { LineOutcome } from '../../core/line-outcome.ts';
import { Files } from '../files/files.ts';
import type { Store } from '../../platform/store/store.ts';
import { Batches } from './batches.ts';
import { BatchClaims } from './batch-claims.ts';
import type { BatchRow } from './batch-rows.ts';
import { LineClaims } from './line-claims.ts';
import { TakeOver } from './take-over.ts';

const clock = manualClock();
let ids = 0;
const newId = () => `20260101000000${String((ids += 1)).padStart(13, '0')}`;

function outcomeOf(batch: BatchRow, line: number): LineOutcome {
  const tokens = { inputTokens: 3, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 4, reasoningTokens: 0 };
  return { batchId: batch.id, line, state: 'succeeded', status: 200, ...tokens };
}

forEachStore(({ open }) => {
  async function begin({ repeatInterrupted = true } = {}) {
    const store = await open();
    const { id: accountId } = await accounts(store, clock).create({ name: 'ann', packageName: 'standard' });
    await credits(store, clock).topUp({ accountId, reference: 'paid', by: 'test', reason: 'paid', amount: 1000n });
    for (const process of ['p1', 'p2']) await registerProcess(store, process);
    const files = new Files({ store, clock, newId, vault: undefined as never, limits: () => undefined as never });
    const batches = new Batches({
      store,
      newId,
      files,
      keepMs: () => 1,
      quota: () => ({ accountBatchesMax: 100, accountLinesMax: 1000 }),
    });
    const origin = { host: '', address: '', headers: {}, metadata: undefined, outputSeconds: undefined };
    const terms = {
      kind: 'batch',
      accountId,
      keyId: 'key_1',
      endpoint: '/v1/responses',
      inputFileId: 'file-1',
    } as const;
    const { batch } = await batches.create({ ...terms, ...origin });
    const parts = { store, newId, settings: () => ({ repeatInterrupted }) };
    const [lines, claims, takeOver] = [new LineClaims(parts), new BatchClaims(store), new TakeOver(parts)];
    await claims.takeBatch(batch.id, 'p1');
    const places = [1, 2, 3].map((line) => ({ line, customId: `l${line}`, chunk: 0, firstByte: 0, bytes: 1 }));
    await claims.addLines(batch, 'p1', places);
    await claims.begin(batch, 'p1', 3);
    const sums = async () => (await batches.find(accountId, batch.id))?.sums;
    const charge = (requestId: string, line: LineOutcome) => {
      const money = { cost: 5n, held: 5n, priceVersion: 'v1', reason: 'request', by: 'gateway' } as const;
      const settlement = { requestId, processId: 'p1', accountId, keyId: 'key_1', at: clock.now(), ...money, line };
      return store.commit(settleCharges, [settlement]);
    };
    return { store, batches, batch, lines, claims, takeOver, sums, charge, accountId };
  }

  async function chargesIn(store: Store): Promise<number> {
    return (await store.db.selectFrom('transfers').select('reference').where('kind', '=', 'charge').execute()).length;
  }

  test('accounts take turns, also if one of them has more unfinished batches', async () => {
    const { claims, store, batches, batch } = await begin();
    const { id: accountId } = await accounts(store, clock).create({ name: 'ben', packageName: 'standard' });
    const { kind, host, address, endpoint, key_id: keyId, input_file_id: inputFileId } = batch;
    const terms = { kind, keyId, host, address, headers: {}, endpoint, inputFileId };
    const more = { ...terms, metadata: undefined, outputSeconds: undefined };
    const next = await batches.create({ ...more, accountId: batch.account_id });
    const other = await batches.create({ ...more, accountId });
    expect((await claims.unfinished('batch')).map(({ id }) => id)).toEqual([batch.id, other.batch.id, next.batch.id]);
  });

  test.each([
    ['600 of one account and one of another', (at: number) => (at < 600 ? 'acc_heavy' : 'acc_light')],
    ['one of each of 600 accounts', (at: number) => `acc_${at}`],
  ])('each unfinished batch gets its turn, however many others there are: %s', async (_, accountOf) => {
    const { store, claims, batch } = await begin();
    const rows = Array.from({ length: 601 }, (__, at) => ({
      ...batch,
      id: newId(),
      account_id: accountOf(at),
      cost: 0n,
    }));
    await store.transaction(async (tx) => {
      for (const row of rows) await tx.insertInto('batches').values(row).execute();
    });
    const seen = new Set<string>();
    for (let look = 0; look < 4; look += 1) {
      const ids = (await claims.unfinished('batch')).map(({ id }) => id);
      expect([ids.length <= 500, new Set(ids).size]).toEqual([true, ids.length]);
      // The only batch of its account is in each look.
      if (accountOf(0) === 'acc_heavy') expect(ids).toContain(rows.at(-1)?.id);
      for (const id of ids) seen.add(id);
    }
    expect(rows.filter(({ id }) => !seen.has(id)).length).toBe(0);
  });

  test('a line that its process put back stays queued when the process gets a new id', async () => {
    const { store, lines, takeOver, batch } = await begin();
    const [line] = await lines.claim(batch, 'p1', 1);
    if (!line) throw new Error('no line is queued');
    await lines.putBack(line);
    expect([...(await takeOver.renew('p1', 'p2', [line.request_id]))]).toEqual([]);
    const running = store.db.selectFrom('batch_lines').select('line').where('state', '=', 'running');
    expect(await running.execute()).toEqual([]);
  });

  test('two processes that claim at once never get the same line', async () => {
    const { lines, batch } = await begin();
    const claims = await Promise.all([
      lines.claim(batch, 'p1', 2),
      lines.claim(batch, 'p2', 2),
      lines.claim(batch, 'p1', 2),
    ]);
    expect(
      claims
        .flat()
        .map(({ line }) => line)
        .toSorted((one, other) => one - other),
    ).toEqual([1, 2, 3]);
  });

  test('the charge of a line and its outcome are one commit', async () => {
    const { lines, batch, sums, charge, store } = await begin();
    const [line] = await lines.claim(batch, 'p1', 1);
    await charge(line!.request_id, outcomeOf(batch, 1));
    expect(await sums()).toMatchObject({ succeeded: 1, inputTokens: 3, outputTokens: 4, cost: 5n });
    await charge(line!.request_id, outcomeOf(batch, 1));
    expect([await chargesIn(store), (await sums())?.cost]).toEqual([1, 5n]);
  });

  test('a line of a process that ended is run again, and a late charge of that process is rejected', async () => {
    const { takeOver, lines, batch, sums, charge, store } = await begin();
    const [lost] = await lines.claim(batch, 'p1', 1);
    await store.db.deleteFrom('processes').where('id', '=', 'p1').execute();
    expect(await takeOver.takeOver()).toBe(1);
    const [again] = await lines.claim(batch, 'p2', 1);
    expect(again?.line).toBe(1);
    await charge(lost!.request_id, outcomeOf(batch, 1));
    expect([await chargesIn(store), (await sums())?.succeeded]).toEqual([0, 0]);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const { stillLeased } = await charge(again!.request_id, outcomeOf(batch, 1));
      expect([stillLeased.size, await chargesIn(store), (await sums())?.succeeded]).toEqual([0, 1, 1]);
    }
  });

  test('a process that was taken for dead keeps its lines that no other process has claimed', async () => {
    const { takeOver, lines, batch, sums, charge, store } = await begin();
    const [kept, lost] = (await lines.claim(batch, 'p1', 2)).map(({ request_id: id }) => id);
    await store.db.deleteFrom('processes').where('id', '=', 'p1').execute();
    await takeOver.takeOver();
    expect(await lines.claim(batch, 'p1', 1)).toEqual([]);
    await store.db.updateTable('batch_lines').set({ not_before: 1e15 }).where('line', '=', 1).execute();
    expect((await lines.claim(batch, 'p2', 1)).map(({ line }) => line)).toEqual([2]);
    await registerProcess(store, 'p3');
    expect(await takeOver.renew('p1', 'p3', [kept!, lost!])).toEqual(new Set([kept]));
    await store.db.updateTable('batch_lines').set({ not_before: 0 }).execute();
    expect((await lines.claim(batch, 'p2', 3)).map(({ line }) => line)).toEqual([3]);
    await charge(kept!, outcomeOf(batch, 1));
    expect(await sums()).toMatchObject({ succeeded: 1, running: 2, cost: 5n });
  });

  test('a line whose ended process was charged for a part of the answer runs again, and the account gets the charge back', async () => {
    const { takeOver, lines, batch, sums, charge, store, accountId } = await begin();
    const [lost] = await lines.claim(batch, 'p1', 1);
    const money = { cost: 2n, held: 5n, priceVersion: 'v1', reason: 'recovered', by: 'recovery' } as const;
    const settlement = { requestId: lost!.request_id, processId: 'p1', accountId, keyId: 'key_1', at: clock.now() };
    await store.commit(settleCharges, [{ ...settlement, ...money }]);
    await store.db.deleteFrom('processes').where('id', '=', 'p1').execute();
    await takeOver.takeOver();
    const balance = store.db.selectFrom('balances').select('topped_up').where('account_id', '=', accountId);
    expect(BigInt((await balance.executeTakeFirstOrThrow()).topped_up)).toBe(1000n);
    // The process was only stopped, and its answer comes late.
    await charge(lost!.request_id, outcomeOf(batch, 1));
    expect(await sums()).toMatchObject({ succeeded: 0, failed: 0, cost: 0n });
    const [again] = await lines.claim(batch, 'p2', 1);
    expect([again!.line, again!.request_id === lost!.request_id]).toEqual([1, false]);
    await charge(again!.request_id, outcomeOf(batch, 1));
    expect(await sums()).toMatchObject({ succeeded: 1, cost: 5n });
    expect(BigInt((await balance.executeTakeFirstOrThrow()).topped_up)).toBe(995n);
  });

  test('without repeats, a line whose ended process was charged for a part of the answer is interrupted', async () => {
    const { takeOver, lines, batch, sums, charge, store, accountId } = await begin({ repeatInterrupted: false });
    const [lost] = await lines.claim(batch, 'p1', 1);
    const money = { cost: 2n, held: 5n, priceVersion: 'v1', reason: 'recovered', by: 'recovery' } as const;
    const settlement = { requestId: lost!.request_id, processId: 'p1', accountId, keyId: 'key_1', at: clock.now() };
    await store.commit(settleCharges, [{ ...settlement, ...money }]);
    await store.db.deleteFrom('processes').where('id', '=', 'p1').execute();
    await takeOver.takeOver();
    expect(await sums()).toMatchObject({ failed: 1, cost: 2n });
    expect((await lines.claim(batch, 'p2', 3)).map(({ line }) => line)).toEqual([2, 3]);
    const { stillLeased } = await charge(lost!.request_id, outcomeOf(batch, 1));
    expect([...stillLeased]).toEqual([[lost!.request_id, 3n]]);
    expect(await sums()).toMatchObject({ succeeded: 0, failed: 1, cost: 2n });
  });

  test('a cancelled batch starts no further line, and keeps those that run', async () => {
    const { claims, lines, batch, batches, sums, accountId } = await begin();
    await lines.claim(batch, 'p1', 1);
    await batches.cancel(accountId, batch.id);
    expect(await lines.claim(batch, 'p2', 3)).toEqual([]);
    expect(await sums()).toMatchObject({ cancelled: 2, lines: 3 });
    expect(await claims.hasOpenLines(batch.id)).toBe(true);
  });

  test('a batch of another account is not found', async () => {
    const { batches, batch } = await begin();
    expect(await batches.find('acc_other', batch.id)).toBeUndefined();
    expect(await batches.cancel('acc_other', batch.id)).toBeUndefined();
  });
});
