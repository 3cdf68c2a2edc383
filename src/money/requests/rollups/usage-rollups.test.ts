import * as fc from 'fast-check';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../../core/time/calendar-day.ts';
import { isDeep } from '../../../../test/depth.ts';
import { farBehind } from '../../../../test/stores/far-behind.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import type { Store } from '../../../platform/store/store.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import type { RequestRecord } from '../request-record.ts';
import { storingRequests } from '../request-writer.ts';
import { compacted, histogramsOf } from './histograms.ts';
import { dimensionTerms, type RollupValue } from './rollup-dimensions.ts';
import { catchUp } from './rollup-worker.ts';
import { zoneOffsets } from '../time-zone.ts';
import {
  type DrawnSums,
  drawnPoints,
  type RollupPoint,
  rollupPoints,
  rollupTable,
  rollupTotals,
} from './usage-rollups.ts';
import { wrongRollups } from '../../../../test/rollups/wrong-rollups.ts';

const terms = { limit: 1000, order: 'cost', points: { interval: 'hour' } } as const;

const anyRecord = fc.record({
  startedAt: fc.integer({ min: 0, max: 60 * hourMs }),
  accountId: fc.constantFrom('acc_0', 'acc_1'),
  keyId: fc.constantFrom('key_0', 'key_1'),
  model: fc.constantFrom('m0', 'm1', undefined),
  userId: fc.constantFrom('', '-', '+', '=', 'user', undefined),
  upstream: fc.constantFrom('near', 'far', undefined),
  status: fc.constantFrom(200, 402, 503),
  errorCase: fc.constantFrom('overloaded', 'insufficient-balance', undefined),
  promptTokens: fc.option(fc.nat(), { nil: undefined }),
  cost: fc.option(fc.bigInt({ min: 0n, max: 2n ** 54n }), { nil: undefined }),
  providerCost: fc.option(fc.bigInt({ min: 0n, max: 2n ** 54n }), { nil: undefined }),
  waitMs: fc.option(fc.nat(), { nil: undefined }),
  answeredMs: fc.option(fc.nat(5000), { nil: undefined }),
  tags: fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', '+'), { maxLength: 2 }), { nil: undefined }),
  clientGone: fc.boolean(),
  unwantedStream: fc.boolean(),
  attempts: fc.array(
    fc.record({
      upstream: fc.constantFrom('near', 'far'),
      model: fc.constant('large'),
      waitMs: fc.constant(0),
      beganMs: fc.constant(0),
      endedMs: fc.constant(9),
      firstEventMs: fc.option(fc.nat(9), { nil: undefined }),
      errorCase: fc.constantFrom('upstream-failed', undefined),
    }),
    { maxLength: 3 },
  ),
});
const anyBatch = fc.record({
  records: fc.array(anyRecord, { minLength: 1, maxLength: 20 }),
  isCaughtUp: fc.boolean(),
});

forEachStore(({ open }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  test('every rollup is the sum of its requests, whichever process adds them up', async () => {
    const other = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(anyBatch, { maxLength: 5 }), async (batches) => {
        for (const table of ['requests', 'usage_rollups', 'usage_rollup_days', 'usage_deltas']) {
          await sql`delete from ${sql.table(table)}`.execute(store.db);
        }
        const named = batches.map(({ records }, batch) =>
          records.map((record, index) => recordWith({ ...record, id: `r${batch}-${index}` })),
        );
        for (const [batch, { isCaughtUp }] of batches.entries()) {
          const records = named[batch] ?? [];
          await store.commit(storingRequests, records);
          // A commit with an unknown outcome is repeated.
          await other.commit(storingRequests, records);
          if (isCaughtUp) await Promise.all([catchUp(store), catchUp(other)]);
        }
        expect(await catchUp(other)).toBe(true);
        expect(await wrongRollups(store)).toEqual([]);
        await expectLines(store, named.flat());
      }),
      { numRuns: isDeep ? 15 : 5 },
    );
  });

  test('an hour stores a limited number of labels separately and sums the others together', async () => {
    const { valuesMax } = dimensionTerms.user;
    const labelled = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        recordWith({ id: `u${from + index}`, userId: `user ${from + index}`, cost: 1n }),
      );
    await store.commit(storingRequests, [...labelled(0, valuesMax - 2), recordWith({ id: 'unsaid', cost: 2n })]);
    await catchUp(store);
    await store.commit(storingRequests, [
      ...labelled(0, 5).map((record) => ({ ...record, id: `${record.id} again` })),
      ...labelled(valuesMax, 300),
      recordWith({ id: 'unsaid again', startedAt: hourMs }),
    ]);
    await catchUp(store);
    const query = { accountId: 'acc_demo', by: 'user', from: 0, to: hourMs } as const;
    const { lines } = await rollupTable(store, query, terms);
    expect(lines).toHaveLength(valuesMax);
    const { lines: first } = await rollupTable(store, query, { ...terms, limit: 3 });
    expect(first).toEqual(lines.slice(0, 3));
    const requests = (kind: string) =>
      lines.filter(({ value }) => value.kind === kind).reduce((sum, line) => sum + line.sums.requests, 0);
    expect(requests('none')).toBe(1);
    expect(requests('other')).toBe(300);
    expect(requests('value')).toBe(valuesMax - 2 + 5);
    expect(lines.find(({ value }) => value.kind === 'value' && value.value === 'user 3')?.sums.cost).toBe(2n);
  });

  test('an hour with exactly the maximum number of labels stores all of them separately', async () => {
    const { valuesMax } = dimensionTerms.user;
    const records = Array.from({ length: valuesMax }, (_, index) =>
      recordWith({ id: `u${index}`, userId: `${index}` }),
    );
    await store.commit(storingRequests, records);
    await catchUp(store);
    const { lines } = await rollupTable(store, ofUsers, terms);
    expect(lines.map(({ value }) => value.kind)).toEqual(records.map(() => 'value'));
  });

  test('beyond the limit, the labels with the most requests have their own sums, and requests break ties in cost', async () => {
    const { valuesMax } = dimensionTerms.user;
    const rare = Array.from({ length: valuesMax + 20 }, (_, index) =>
      recordWith({ id: `u${index}`, userId: `${index}` }),
    );
    const busy = ['z', 'y', 'y', 'z', 'z'].map((userId, index) => recordWith({ id: `b${index}`, userId }));
    await store.commit(storingRequests, [...rare, ...busy]);
    await catchUp(store);
    const { lines } = await rollupTable(store, ofUsers, { ...terms, limit: 3 });
    expect(lines.map(({ value, sums }) => [textOf(value), sums.requests])).toEqual([
      ['other', 23],
      ['“z”', 3],
      ['“y”', 2],
    ]);
  });

  test('the check finds a wrong or missing sum of an hour and of a day', async () => {
    await store.commit(storingRequests, [recordWith({ id: 'a' }), recordWith({ id: 'b', startedAt: dayMs })]);
    await catchUp(store);
    expect(await wrongRollups(store)).toEqual([]);
    const own = sql`account_id = 'acc_demo' and dimension = 'model'`;
    await sql`update usage_rollups set prompt_tokens = prompt_tokens + 1 where ${own} and hour = 0`.execute(store.db);
    expect(await wrongRollups(store)).toMatchObject([{ account_id: 'acc_demo', dimension: 'model' }]);
    await sql`delete from usage_rollups where ${own} and hour = 0`.execute(store.db);
    expect(await wrongRollups(store)).toMatchObject([{ account_id: 'acc_demo', dimension: 'model' }]);
    await sql`update usage_rollup_days set requests = 5 where ${own} and day = ${dayMs}`.execute(store.db);
    expect(await wrongRollups(store)).toHaveLength(2);
    await sql`delete from usage_rollup_days where account_id = 'acc_demo'`.execute(store.db);
    expect((await wrongRollups(store)).length).toBeGreaterThan(2);
  });

  describe('the check finds a rollup whose', () => {
    beforeEach(async () => {
      const attempt = { upstream: 'far', model: 'large', waitMs: 0, beganMs: 5, endedMs: 9 };
      const attempts = [
        { ...attempt, errorCase: 'upstream-failed' },
        { ...attempt, upstream: 'acme', firstEventMs: 30 },
      ];
      const measured = { waitMs: 7, answeredMs: 900, attempts, tags: ['blue', 'red'] };
      await store.commit(storingRequests, [recordWith({ id: 'a', ...measured }), recordWith({ id: 'b' })]);
      await catchUp(store);
      expect(await wrongRollups(store)).toEqual([]);
    });

    const changes = {
      'calls of an upstream without a request differ': ['upstream', '=far', 'calls = calls + 1'],
      'failed calls differ': ['status', '=200', 'failed_calls = 0'],
      'calls of a route differ': ['route', '=far\nlarge', 'calls = 0'],
      'times of a route differ': ['route', '=acme\nlarge', "histograms = ''"],
      'queue times differ': ['model', '=acme-2026', "histograms = replace(histograms, '21:1;', '22:1;')"],
      'times to first token differ': ['key', '=key_demo', "histograms = histograms || '288:1;'"],
      'speeds differ from those of the statuses': ['user', '-', "histograms = histograms || '600:1;'"],
      'unwanted streams differ': ['key', '=key_demo', 'unwanted_streams = 1'],
      'requests of a tag differ': ['tag', '=blue', 'requests = requests + 1'],
      'cost of a tag differs': ['tag', '=red', 'cost = cost + 1'],
      'tag is missing': ['tag', '=red', undefined],
      'tag has no request': ['tag', '=red', "value = '=green'"],
    } as const;

    test.each(Object.entries(changes))('%s', async (_name, [dimension, value, change]) => {
      for (const table of ['usage_rollups', 'usage_rollup_days'] as const) {
        const before = await wrongRollups(store);
        const own = sql`where dimension = ${dimension} and value = ${value}`;
        const from = sql.table(table);
        await (change === undefined
          ? sql`delete from ${from} ${own}`
          : sql`update ${from} set ${sql.raw(change)} ${own}`
        ).execute(store.db);
        const found = (await wrongRollups(store)).slice(before.length);
        expect(found.length).toBeGreaterThan(0);
        expect(found.every((each) => (each as { dimension: string }).dimension === dimension)).toBe(true);
      }
    });
  });

  test('the check ignores the calls of a request whose log does not have them all', async () => {
    const attempts = Array.from({ length: 20 }, (_, index) => ({
      upstream: `u${index}`,
      model: 'large',
      waitMs: 0,
      beganMs: 0,
      endedMs: 9,
    }));
    await store.commit(storingRequests, [recordWith({ id: 'a', attempts, attemptCount: 20 })]);
    await catchUp(store);
    expect(await wrongRollups(store)).toEqual([]);
  });

  test('catching up adds all pending deltas, however many there are', async () => {
    for (let index = 0; index < 45; index += 1) {
      await store.commit(storingRequests, [recordWith({ id: `r${index}` })]);
    }
    expect(await catchUp(store)).toBe(true);
    expect(await wrongRollups(store)).toEqual([]);
  });

  test('catching up with very many deltas reports that more remain, and a second call adds them', async () => {
    await farBehind(store, 2001);
    expect(await catchUp(store)).toBe(false);
    expect(await catchUp(store)).toBe(true);
  });

  test('days of a long span follow the offset of the time zone in each season', async () => {
    const times = ['2026-01-31T22:30:00Z', '2026-06-30T22:30:00Z', '2026-11-30T22:30:00Z'].map((at) => Date.parse(at));
    await store.commit(
      storingRequests,
      times.map((startedAt, index) => recordWith({ id: `s${index}`, startedAt })),
    );
    await catchUp(store);
    const span = { from: Date.parse('2026-01-01T00:00:00Z'), to: Date.parse('2026-12-31T00:00:00Z') };
    const points = { interval: 'day', offsets: zoneOffsets('Europe/Berlin', span) } as const;
    const { totals } = await rollupTable(store, { accountId: 'acc_demo', by: 'status', ...span }, { ...terms, points });
    const days = [...totals.keys()].map((day) => new Date(day * dayMs).toISOString().slice(0, 10));
    expect(days).toEqual(['2026-01-31', '2026-07-01', '2026-11-30']);
  });

  test('days follow the time zone, also where its offset changes', async () => {
    const at = Date.parse('2026-03-28T00:00:00Z');
    const hours = Array.from({ length: 72 }, (_, hour) =>
      recordWith({ id: `h${hour}`, startedAt: at + hour * hourMs }),
    );
    await store.commit(storingRequests, hours);
    await catchUp(store);
    const span = { from: at, to: at + 3 * dayMs };
    const perDay = async (zone: string) => {
      const offsets = zoneOffsets(zone, span);
      const query = { accountId: 'acc_demo', by: 'status', ...span } as const;
      const { totals } = await rollupTable(store, query, { ...terms, points: { interval: 'day', offsets } });
      return [...totals].map(([day, sums]) => [new Date(day * dayMs).toISOString().slice(8, 10), sums.requests]);
    };
    expect(await perDay('UTC')).toEqual([
      ['28', 24],
      ['29', 24],
      ['30', 24],
    ]);
    // In Berlin, 29 March has 23 hours.
    expect(await perDay('Europe/Berlin')).toEqual([
      ['28', 23],
      ['29', 23],
      ['30', 24],
      ['31', 2],
    ]);
    expect(await perDay('Asia/Shanghai')).toEqual([
      ['28', 16],
      ['29', 24],
      ['30', 24],
      ['31', 8],
    ]);
    // An offset with half an hour: an hour belongs to the day in which it begins.
    expect(await perDay('Asia/Kolkata')).toEqual([
      ['28', 19],
      ['29', 24],
      ['30', 24],
      ['31', 5],
    ]);
    expect(await perDay('America/New_York')).toEqual([
      ['27', 4],
      ['28', 24],
      ['29', 24],
      ['30', 20],
    ]);
  });
});

const ofUsers = { accountId: 'acc_demo', by: 'user', from: 0, to: hourMs } as const;

/** Checks that totals and hourly points along a dimension equal the sums of the requests. */
async function expectLines(store: Store, records: readonly RequestRecord[]): Promise<void> {
  const query = usersOf('acc_0');
  const own = records.filter(({ accountId }) => accountId === 'acc_0');
  const costs = new Map<string, bigint>();
  for (const { userId, cost = 0n } of own) costs.set(nameOf(userId), (costs.get(nameOf(userId)) ?? 0n) + cost);
  const { lines } = await rollupTable(store, query, terms);
  expect(new Map(lines.map(({ value, sums }) => [textOf(value), sums.cost]))).toEqual(costs);
  const points = await rollupPoints(store, query, { interval: 'hour' });
  expect(points.reduce((sum, { sums }) => sum + sums.requests, 0)).toBe(own.length);
  await expectDrawn(store, points);
  await expectCallsAndTimes(store, own);
}

/** Checks calls by upstream, and the histograms of queue times in the totals of hours and days. */
async function expectCallsAndTimes(store: Store, own: readonly RequestRecord[]): Promise<void> {
  const { lines, totals } = await rollupTable(store, { ...usersOf('acc_0'), by: 'upstream' }, terms);
  const calls = own.flatMap(({ attempts }) => attempts);
  for (const name of ['near', 'far']) {
    const sums = lines.find(({ value }) => value.kind === 'value' && value.value === name)?.sums;
    const called = calls.filter(({ upstream }) => upstream === name);
    expect(sums?.calls ?? 0).toBe(called.length);
    expect(sums?.failed_calls ?? 0).toBe(called.filter(({ errorCase }) => errorCase !== undefined).length);
  }
  const expected = compacted(own.map(({ waitMs }) => histogramsOf({ queue_ms: waitMs })).join(''));
  const histograms = Array.from(totals.values(), (sums) => sums.histograms).join('');
  expect(queueTimesIn(histograms)).toBe(expected);
  expect(queueTimesIn(lines.map(({ sums }) => sums.histograms).join(''))).toBe(expected);
  expect(queueTimesIn((await rollupTotals(store, usersOf('acc_0'))).histograms)).toBe(expected);
}

function queueTimesIn(histograms: string): string {
  return compacted(histograms, ['queue_ms']);
}

/** Checks that the charted points of some values equal those among all values. */
async function expectDrawn(store: Store, points: readonly RollupPoint[]): Promise<void> {
  const only: readonly RollupValue[] = [
    { kind: 'value', value: 'user' },
    { kind: 'value', value: '-' },
    { kind: 'none' },
  ];
  const drawn = await drawnPoints(store, { ...usersOf('acc_0'), only }, { interval: 'hour' });
  const names = only.map(textOf);
  const wanted = points.filter(({ value }) => names.includes(textOf(value)));
  const text = ({ point, value, sums }: Omit<RollupPoint, 'sums'> & { readonly sums: DrawnSums }) =>
    `${point} ${textOf(value)} ${sums.cost} ${sums.requests} ${sums.errors}`;
  expect(drawn.map(text).sort()).toEqual(wanted.map(text).sort());
}

function usersOf(accountId: string) {
  return { accountId, by: 'user', from: 0, to: 61 * hourMs } as const;
}

function textOf(value: RollupValue): string {
  return value.kind === 'value' ? nameOf(value.value) : value.kind;
}

function nameOf(userId: string | undefined): string {
  return userId === undefined ? 'none' : `“${userId}”`;
}
