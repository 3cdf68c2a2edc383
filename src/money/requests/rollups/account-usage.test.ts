import * as fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { hourMs } from '../../../core/time/calendar-day.ts';
import { isDeep } from '../../../../test/depth.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import type { Store } from '../../../platform/store/store.ts';
import { accountKeys, accountUsage } from './account-usage.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import { storingRequests } from '../request-writer.ts';
import { compacted } from './histograms.ts';
import { dimensionTerms } from './rollup-dimensions.ts';
import { catchUp } from './rollup-worker.ts';
import { topKeys, topModels, usageSeries } from './usage-series.ts';
import type { UsageFigures } from './usage-summary.ts';

const anyRecord = fc.record({
  startedAt: fc.integer({ min: 0, max: 70 * hourMs }),
  accountId: fc.constantFrom('acc_0', 'acc_1'),
  keyId: fc.constantFrom('key_0', 'key_1', 'key_2'),
  model: fc.constantFrom('m0', 'm1', 'm2', undefined),
  errorCase: fc.constantFrom('overloaded', undefined),
  promptTokens: fc.option(fc.nat(), { nil: undefined }),
  completionTokens: fc.option(fc.nat(), { nil: undefined }),
  cachedTokens: fc.option(fc.nat(), { nil: undefined }),
  reasoningTokens: fc.option(fc.nat(), { nil: undefined }),
  cost: fc.option(fc.bigInt({ min: 0n, max: 2n ** 54n }), { nil: undefined }),
  waitMs: fc.option(fc.nat(), { nil: undefined }),
  firstByteMs: fc.option(fc.nat(), { nil: undefined }),
  durationMs: fc.nat(),
  clientGone: fc.boolean(),
  unwantedStream: fc.boolean(),
});
const anyQuery = fc.record({
  accountId: fc.constantFrom('acc_0', 'acc_1'),
  from: fc.integer({ min: 0, max: 50 }).map((hour) => hour * hourMs),
  hours: fc.integer({ min: 1, max: 72 }),
  intervalMs: fc.constantFrom(hourMs, 24 * hourMs),
  limit: fc.integer({ min: 1, max: 4 }),
});

forEachStore(({ open }) => {
  test('the rollups of an account equal its sums by key and model: over time, by model and by key', async () => {
    const store = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { maxLength: 40 }), anyQuery, async (records, { hours, limit, ...span }) => {
        await emptyTables(store);
        await store.commit(
          storingRequests,
          records.map((record, index) => recordWith({ ...record, id: `r${index}` })),
        );
        expect(await catchUp(store)).toBe(true);
        const query = { ...span, to: span.from + hours * hourMs };
        const { series, models } = await accountUsage(store, query, limit);
        expect(comparable(series)).toEqual(comparable(await usageSeries(store, query)));
        expect(models).toEqual((await topModels(store, query, limit)).map(asAccountLine));
        expect(await accountKeys(store, query, { limit })).toEqual(
          (await topKeys(store, query, { limit })).map(asAccountLine),
        );
        const among = ['key_2', 'key_0', 'never'];
        const named = await accountKeys(store, query, { limit: 3, among });
        const byName = (one: { group: string }, other: { group: string }) => (one.group < other.group ? -1 : 1);
        expect(named.toSorted(byName)).toEqual(
          (await topKeys(store, query, { limit: 3, among })).map(asAccountLine).toSorted(byName),
        );
      }),
      { numRuns: isDeep ? 60 : 20 },
    );
  });

  test('the sum of models beyond the limit of an hour is not listed as a model', async () => {
    const store = await open();
    const { valuesMax } = dimensionTerms.model;
    const records = Array.from({ length: valuesMax + 10 }, (_, index) =>
      recordWith({ id: `r${index}`, startedAt: 0, model: `m${index}`, cost: 1n }),
    );
    await store.commit(storingRequests, records);
    await catchUp(store);
    const query = { accountId: 'acc_demo', from: 0, to: hourMs, intervalMs: hourMs };
    const { series, models } = await accountUsage(store, query, 3);
    expect(models.map(({ requests }) => requests)).toEqual([1, 1, 1]);
    expect(series.get(0)).toMatchObject({ requests: valuesMax + 10, cost: BigInt(valuesMax + 10) });
  });
});

/** Rollups do not count unwanted streams, and the sums by key and model have no histograms. */
function asAccountLine<Line extends { readonly unwantedStreams: number; readonly histograms: string }>({
  unwantedStreams: _unwanted,
  histograms: _histograms,
  ...line
}: Line) {
  return line;
}

/** Stores append histograms in any order. */
function comparable(series: ReadonlyMap<number, UsageFigures>) {
  return new Map(
    Array.from(series, ([at, figures]) => [at, { ...figures, histograms: compacted(figures.histograms) }]),
  );
}

async function emptyTables(store: Store): Promise<void> {
  for (const table of ['requests', 'usage_hours', 'usage_rollups', 'usage_rollup_days', 'usage_deltas']) {
    await sql`delete from ${sql.table(table)}`.execute(store.db);
  }
}
