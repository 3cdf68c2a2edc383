import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { hourMs } from '../../../core/time/calendar-day.ts';
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
import { wrongHours } from '../wrong-usage.ts';
import { usageSeries } from './usage-series.ts';
import { type UsageFigures, usageSummary } from './usage-summary.ts';
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
/** Checks that the sums over all accounts and the error sums match the sums by account. */
async function expectTotals(store: Store): Promise<void> {
  const [from, to] = [0, 6 * hourMs];
  const { lines, total } = await usageSummary(store, { from, to, by: 'hour' });
  const series = await usageSeries(store, { from, to, intervalMs: hourMs });
  const expected = lines.map(({ group, ...figures }): [number, UsageFigures] => [Date.parse(group), figures]);
  expect(new Map([...series].sort(([one], [other]) => one - other))).toEqual(new Map(expected));
  const errors = await errorSums(store, { from, to });
  expect(errors.reduce((sum, { requests }) => sum + requests, 0)).toBe(total.errors);
}

type CommitFailure = 'none' | 'before' | 'after';
const anyBatch = fc.record({
  records: fc.array(anyRecord, { minLength: 1, maxLength: 40 }),
  failure: fc.constantFrom<CommitFailure>('none', 'before', 'after'),
});

forEachStore(({ engine, open }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  test('the hourly sums match the rows for any batches, also after commits with an unknown outcome', async () => {
    const failing = failingStore(store);
    // The log does not flush by itself: each failure hits the test's own flush.
    const log = requestLog({ store: failing.store, flushMs: 86_400_000, onDropped: () => undefined });
    await fc.assert(
      fc.asyncProperty(fc.array(anyBatch, { maxLength: 4 }), async (batches) => {
        await sql`delete from requests`.execute(store.db);
        for (const table of ['usage_hours', 'usage_totals', 'error_hours', 'usage_deltas']) {
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
        expect(await wrongHours(store)).toEqual([]);
        await expectTotals(store);
      }),
      { numRuns: isDeep ? 60 : 20 },
    );
  });

  test('the check finds an hour whose sums are wrong', async () => {
    await logged(recordWith({ id: 'a' }), recordWith({ id: 'b', startedAt: hourMs }));
    expect(await wrongHours(store)).toEqual([]);
    await sql`update usage_hours set prompt_tokens = prompt_tokens + 1 where hour = ${hourMs}`.execute(store.db);
    expect(await wrongHours(store)).toMatchObject([{ hour: hourMs }]);
    await sql`delete from usage_hours where hour = 0`.execute(store.db);
    expect(await wrongHours(store)).toHaveLength(2);
    await sql`delete from requests where id = 'b'`.execute(store.db);
    expect(await wrongHours(store)).toHaveLength(2);
  });

  test('usage is summed by hour, day, model and key, with a total', async () => {
    const day = 24 * hourMs;
    await logged(
      recordWith({ id: 'a', startedAt: 5, cost: 7n, waitMs: 3 }),
      recordWith({ id: 'b', startedAt: hourMs, model: 'dear', cost: 2n ** 60n, errorCase: 'overloaded' }),
      recordWith({ id: 'c', startedAt: day + 5, keyId: 'key_2', cost: 1n, clientGone: true, firstByteMs: undefined }),
      recordWith({ id: 'd', startedAt: 5, accountId: 'acc_2', model: undefined }),
    );
    const summary = (by: 'hour' | 'day' | 'model' | 'key', accountId: string | undefined = 'acc_demo', to = 2 * day) =>
      usageSummary(store, { accountId, from: 59_000, to, by });
    const groups = async (...parameters: Parameters<typeof summary>) =>
      (await summary(...parameters)).lines.map(({ group, requests, cost }) => [group, requests, cost]);
    expect(await groups('hour')).toEqual([
      ['1970-01-01T00:00:00.000Z', 1, 7n],
      ['1970-01-01T01:00:00.000Z', 1, 2n ** 60n],
      ['1970-01-02T00:00:00.000Z', 1, 1n],
    ]);
    expect(await groups('day')).toEqual([
      ['1970-01-01T00:00:00.000Z', 2, 2n ** 60n + 7n],
      ['1970-01-02T00:00:00.000Z', 1, 1n],
    ]);
    expect(await groups('model')).toEqual([
      ['dear', 1, 2n ** 60n],
      ['acme-2026', 2, 8n],
    ]);
    expect(await groups('key')).toEqual([
      ['key_demo', 2, 2n ** 60n + 7n],
      ['key_2', 1, 1n],
    ]);
    expect(await groups('model', 'acc_2')).toEqual([['', 1, 0n]]);
    expect(await groups('day', 'acc_demo', day)).toEqual([['1970-01-01T00:00:00.000Z', 2, 2n ** 60n + 7n]]);
    expect((await usageSummary(store, { from: 0, to: 2 * day, by: 'day' })).total).toEqual({
      requests: 4,
      errors: 1,
      clientGone: 1,
      answered: 3,
      promptTokens: 40,
      completionTokens: 20,
      cachedTokens: 0,
      reasoningTokens: 0,
      cost: 2n ** 60n + 8n,
      waitMs: 3,
      firstByteMs: 60,
      durationMs: 400,
      unwantedStreams: 0,
      histograms: '',
    });
  });

  test('the total of a span without usage is zero', async () => {
    const { lines, total } = await usageSummary(store, { from: 0, to: hourMs, by: 'key' });
    expect(lines).toEqual([]);
    expect(total).toMatchObject({ requests: 0, cost: 0n });
  });

  test.runIf(engine === 'sqlite')('a summary reads only the hours of its account and time', async () => {
    const plan = async (where: string) =>
      (
        await sql<{
          detail: string;
        }>`explain query plan select sum(cost) from usage_hours where ${sql.raw(where)}`.execute(store.db)
      ).rows[0]?.detail;
    expect(await plan("hour >= 1 and hour < 2 and account_id = 'a'")).toMatch(
      /\(account_id=\? AND hour>\? AND hour<\?\)/,
    );
    expect(await plan('hour >= 1 and hour < 2')).toMatch(/usage_hours_by_hour \(hour>\? AND hour<\?\)/);
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
    const hours = async () => (await usageSummary(store, { from: 0, to: now, by: 'hour' })).lines;
    await eventually(async () => expect(await hours()).toHaveLength(3));
    keeper.stop();
    const left = await listRequests(store, { limit: 2000 });
    expect(left).toHaveLength(100);
    expect(left.at(-1)?.startedAt).toBe(66_000_000);
    expect((await hours()).map(({ requests }) => requests)).toEqual([60, 60, 60]);
    expect([...(await usageSeries(store, { from: 0, to: now, intervalMs: hourMs })).values()]).toHaveLength(3);
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
