import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../../core/time/calendar-day.ts';
import { isDeep } from '../../../../test/depth.ts';
import { eventually } from '../../../../test/eventually.ts';
import { storeBetween } from '../../../../test/stores/store-between.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import type { Store } from '../../../platform/store/store.ts';
import { listRequests } from '../find-requests.ts';
import { errorSums } from './error-sums.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import { requestLog } from '../request-log.ts';
import type { RequestRecord } from '../request-record.ts';
import { requestRetention } from '../retention.ts';
import { wrongRollups } from '../../../../test/rollups/wrong-rollups.ts';
import { plainNameOf } from './rollup-dimensions.ts';
import { catchUp } from './rollup-worker.ts';
import { rollupTable, rollupTotals } from './usage-rollups.ts';
import { noSums } from './usage-sums.ts';
import { systemClock } from '../../../core/time/clock.ts';

const anyRecord = fc.record({
  id: fc.integer({ min: 0, max: 500 }).map((number) => `r${number}`),
  startedAt: fc.integer({ min: 0, max: 5 * hourMs }),
  accountId: fc.constantFrom('acc_0', 'acc_1'),
  keyId: fc.constantFrom('key_0', 'key_1'),
  model: fc.constantFrom('m0', 'm1', undefined),
  site: fc.constantFrom('main', 'partner'),
  errorCase: fc.constantFrom('overloaded', undefined),
  promptTokens: fc.option(fc.oneof(fc.nat(), fc.double()), { nil: undefined }),
  completionTokens: fc.option(fc.nat(), { nil: undefined }),
  cachedTokens: fc.option(fc.nat(), { nil: undefined }),
  reasoningTokens: fc.option(fc.nat(), { nil: undefined }),
  cost: fc.option(fc.bigInt({ min: 0n, max: 2n ** 54n }), { nil: undefined }),
  waitMs: fc.option(fc.nat(), { nil: undefined }),
  firstByteMs: fc.option(fc.nat(), { nil: undefined }),
  durationMs: fc.nat(),
  clientGone: fc.boolean(),
  unwantedStream: fc.option(fc.boolean(), { nil: undefined }),
});
const span = { from: 0, to: 6 * hourMs };

type CommitFailure = 'none' | 'before' | 'after';
const anyBatch = fc.record({
  records: fc.array(anyRecord, { minLength: 1, maxLength: 40 }),
  failure: fc.constantFrom<CommitFailure>('none', 'before', 'after'),
});

forEachStore(({ open }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  test('the rollups match the rows for any batches, also after commits with an unknown outcome', async () => {
    const failing = failingStore(store);
    // The log does not flush by itself: each failure hits the test's own flush.
    const log = requestLog({ store: failing.store, flushMs: 86_400_000, onDropped: () => undefined });
    await fc.assert(
      fc.asyncProperty(fc.array(anyBatch, { maxLength: 4 }), async (batches) => {
        await sql`delete from requests`.execute(store.db);
        for (const table of ['usage_rollups', 'usage_rollup_days', 'error_hours', 'usage_deltas']) {
          await sql`delete from ${sql.table(table)}`.execute(store.db);
        }
        for (const { records, failure } of batches) {
          failing.failure = failure;
          for (const record of records) log.write(recordWith(record));
          if (failure !== 'none') await expect(log.flush()).rejects.toThrow('the connection broke');
          await log.flush();
        }
        const written = new Set(batches.flatMap(({ records }) => records.map(({ id }) => id)));
        expect(await listRequests(store, { limit: 1000 })).toHaveLength(written.size);
        await catchUp(store);
        expect(await wrongRollups(store)).toEqual([]);
        const errors = await errorSums(store, span);
        const { errors: counted } = await rollupTotals(store, span);
        expect(errors.reduce((sum, { requests }) => sum + requests, 0)).toBe(counted);
      }),
      { numRuns: isDeep ? 60 : 20 },
    );
  });

  test('the rollups of an hour or a day, of one account or of all, are summed by model and by key', async () => {
    await logged(
      recordWith({ id: 'a', startedAt: 5, cost: 7n, waitMs: 3 }),
      recordWith({ id: 'b', startedAt: hourMs, model: 'dear', cost: 2n ** 60n, errorCase: 'overloaded' }),
      recordWith({ id: 'c', startedAt: dayMs + 5, keyId: 'key_2', cost: 1n, clientGone: true, firstByteMs: undefined }),
      recordWith({ id: 'd', startedAt: 5, accountId: 'acc_2', model: undefined, unwantedStream: true }),
    );
    await catchUp(store);
    const terms = { limit: 9, order: 'cost', points: { interval: 'day', offsets: [] } } as const;
    const usage = async (by: 'model' | 'key', accountId?: string, to = 2 * dayMs) => {
      const { lines, totals } = await rollupTable(store, { accountId, from: 0, to, by }, terms);
      return {
        lines: lines.map(({ value, sums }) => [plainNameOf(value), sums.requests, sums.cost]),
        totals: Array.from(totals, ([day, { requests, cost }]) => [day, requests, cost]),
      };
    };
    const [first, second] = [2n ** 60n + 7n, 1n];
    expect(await usage('model', 'acc_demo')).toEqual({
      lines: [
        ['dear', 1, 2n ** 60n],
        ['acme-2026', 2, 8n],
      ],
      totals: [
        [0, 2, first],
        [1, 1, second],
      ],
    });
    expect((await usage('key', 'acc_demo')).lines).toEqual([
      ['key_demo', 2, first],
      ['key_2', 1, second],
    ]);
    expect((await usage('model', 'acc_2')).lines).toEqual([['', 1, 0n]]);
    expect((await usage('model', 'acc_demo', dayMs)).totals).toEqual([[0, 2, first]]);
    expect((await usage('model', 'acc_demo', hourMs)).totals).toEqual([[0, 1, 7n]]);
    expect(await rollupTotals(store, { from: 0, to: 2 * dayMs })).toEqual({
      ...noSums(),
      requests: 4,
      errors: 1,
      client_gone: 1,
      answered: 3,
      prompt_tokens: 40,
      completion_tokens: 20,
      cost: first + second,
      wait_ms: 3,
      first_byte_ms: 60,
      duration_ms: 400,
      unwanted_streams: 1,
      histograms: expect.any(String),
    });
  });

  test('old requests are deleted, however many, and their usage stays until its own retention ends', async () => {
    const records = Array.from({ length: 1200 }, (_, index) =>
      recordWith({ id: `r${index}`, startedAt: index * 60_000 }),
    );
    await logged(...records);
    const now = 1200 * 60_000;
    const keep = { requests: 6_000_000, usage: 2.5 * hourMs };
    const keeper = requestRetention({
      store,
      // Half a record earlier, because the database reads its clock before or after this.
      keepMs: () => systemClock.now() - now + keep.requests + 30_000,
      keepUsageMs: () => systemClock.now() - now + keep.usage,
      onError: (error) => expect.fail(String(error)),
    });
    keeper.start();
    await catchUp(store);
    const hours = async () => {
      const terms = { limit: 1, order: 'cost', points: { interval: 'hour' } } as const;
      return [...(await rollupTable(store, { from: 0, to: now, by: 'status' }, terms)).totals.values()];
    };
    await eventually(async () => expect(await hours()).toHaveLength(3));
    keeper.stop();
    const left = await listRequests(store, { limit: 2000 });
    expect(left).toHaveLength(100);
    expect(left.at(-1)?.startedAt).toBe(66_000_000);
    expect((await hours()).map(({ requests }) => requests)).toEqual([60, 60, 60]);
  });

  async function logged(...records: readonly RequestRecord[]): Promise<void> {
    const log = requestLog({ store, onDropped: () => undefined });
    for (const record of records) log.write(record);
    await log.flush();
  }
});

/** A store whose next commit fails before it is written, or after, when the outcome is unknown to the caller. */
function failingStore(real: Store): { readonly store: Store; failure: CommitFailure } {
  const failing = {
    failure: 'none' as CommitFailure,
    store: storeBetween(real, async (work) => {
      const { failure } = failing;
      failing.failure = 'none';
      if (failure === 'before') throw new Error('the connection broke before the commit');
      const result = await work();
      if (failure === 'after') throw new Error('the connection broke after the commit');
      return result;
    }),
  };
  return failing;
}
