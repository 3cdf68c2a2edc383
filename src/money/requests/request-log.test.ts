import * as fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { dayMs, hourMs } from '../../core/time/calendar-day.ts';
import { isDeep } from '../../../test/depth.ts';
import { eventually } from '../../../test/eventually.ts';
import { accept, refuse } from '../../../test/stores/poison.ts';
import { storeBetween } from '../../../test/stores/store-between.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { chargedSoFar } from '../billing/settle.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { callSums } from './rollups/call-sums.ts';
import { findRequest, listRequests } from './find-requests.ts';
import { recordWith } from '../../../test/fixtures/requests/record.ts';
import { constraintSums } from './rollups/constraint-sums.ts';
import { requestLog } from './request-log.ts';
import { refusalsMax, storingRequests } from './request-writer.ts';
import { requestRetention } from './retention.ts';
import { rollupTotals } from './rollups/usage-rollups.ts';
import { catchUp } from './rollups/rollup-worker.ts';
import { wrongRollups } from '../../../test/rollups/wrong-rollups.ts';

forEachStore(({ open }) => {
  let store: Store;
  let dropped: number;
  const onDropped = (count: number) => void (dropped += count);

  beforeEach(async () => {
    dropped = 0;
    store = await open();
  });

  test('an account whose requests are all refused has the newest rows of each hour, and exact figures', async () => {
    const log = requestLog({ store, onDropped });
    const refused = { status: 402, errorCase: 'insufficient-balance', attemptCount: 0, model: undefined };
    const ids = Array.from({ length: refusalsMax + 700 }, (_, index) => `r${String(index).padStart(5, '0')}`);
    const records = ids.map((id, index) => recordWith({ id, startedAt: index, ...refused }));
    for (const record of records) log.write(record);
    log.write(recordWith({ id: 'answered' }));
    log.write(recordWith({ id: 'failed', status: 502, errorCase: 'upstream-failed' }));
    log.write(recordWith({ id: 'later', startedAt: hourMs, ...refused }));
    log.write(recordWith({ id: 'other', accountId: 'acc_other', ...refused }));
    await log.flush();
    // A commit whose confirmation is lost is repeated.
    for (const record of records.slice(-100)) log.write(record);
    await log.flush();
    const rows = await store.db.selectFrom('requests').select('id').orderBy('id').execute();
    const kept = ['answered', 'failed', 'later', 'other', ...ids.slice(-refusalsMax)];
    expect(rows.map(({ id }) => id)).toEqual(kept.toSorted());
    const errors = store.db.selectFrom('error_hours').select(['requests', 'error_case']);
    const counted = await errors
      .where('account_id', '=', 'acc_demo')
      .where('hour', '=', 0)
      .orderBy('error_case')
      .execute();
    expect(counted).toEqual([
      { error_case: 'insufficient-balance', requests: ids.length },
      { error_case: 'upstream-failed', requests: 1 },
    ]);
    await catchUp(store);
    expect((await rollupTotals(store, { from: 0, to: hourMs })).requests).toBe(ids.length + 3);
  });

  test('a written record can be read with every field', async () => {
    const log = requestLog({ store, onDropped });
    const record = recordWith({
      id: 'r1',
      userId: 'u',
      notes: ['usage counted here'],
      clientGone: true,
      waitMs: 12,
      cost: 2n ** 62n,
      priceVersion: 'p7',
      queuePosition: 3,
      cacheWrite5mTokens: 1,
      cacheWrite1hTokens: 2,
      replayOf: 'r0',
      attempts: [{ upstream: 'a\0', model: 'm', waitMs: 1, beganMs: 2, endedMs: 3, status: 429, reason: 'busy' }],
    });
    log.write(record);
    await log.flush();
    expect(await findRequest(store, 'r1')).toEqual(record);
    expect(await findRequest(store, 'r2')).toBeUndefined();
  });

  test('any record can be stored and read back', async () => {
    const log = requestLog({ store, onDropped });
    let count = 0;
    const record = fc.record({
      userId: fc.option(fc.string(), { nil: undefined }),
      requestedModel: fc.string({ maxLength: 256 }),
      promptTokens: fc.option(fc.nat(), { nil: undefined }),
      durationMs: fc.nat(),
      clientGone: fc.boolean(),
      notes: fc.array(fc.string()),
    });
    await fc.assert(
      fc.asyncProperty(record, async (fields) => {
        count += 1;
        const written = recordWith({ id: `r${count}`, ...fields });
        log.write(written);
        await log.flush();
        expect(await findRequest(store, written.id)).toEqual(written);
      }),
      { numRuns: isDeep ? 100 : 40 },
    );
  });

  test('of very many attempts, the first ones and the last are stored, each with limited length', async () => {
    const log = requestLog({ store, onDropped });
    const attempts = Array.from({ length: 1000 }, (_, index) => ({
      upstream: `u${index}`,
      model: 'm'.repeat(10_000),
      waitMs: 0,
      beganMs: index,
      endedMs: index,
    }));
    log.write(recordWith({ id: 'r1', attempts }));
    await log.flush();
    const kept = (await findRequest(store, 'r1'))?.attempts ?? [];
    expect(kept.map(({ upstream }) => upstream)).toEqual(
      [...attempts.slice(0, 15), attempts[999]].map((each) => each?.upstream),
    );
    expect(JSON.stringify(kept).length).toBeLessThan(10_000);
  });

  test('a single record is written without a flush', async () => {
    const log = requestLog({ store, flushMs: 1, onDropped });
    log.write(recordWith({ id: 'r1' }));
    await eventually(async () => expect(await findRequest(store, 'r1')).toBeDefined());
  });

  test('many records are written in batches', async () => {
    let batches = 0;
    const counted = storeBetween(store, (work) => {
      batches += 1;
      return work();
    });
    const log = requestLog({ store: counted, flushMs: 1, batchMax: 100, onDropped });
    for (let index = 0; index < 250; index += 1) log.write(recordWith({ id: `r${index}` }));
    expect(batches).toBe(0);
    await eventually(async () => expect(await listRequests(store, { limit: 1000 })).toHaveLength(250));
    expect(batches).toBe(3);
  });

  test('records are piggybacked on another commit and not written again', async () => {
    const log = requestLog({ store, flushMs: 600_000, onDropped });
    log.write(recordWith({ id: 'r1' }));
    log.write(recordWith({ id: 'r2' }));
    await store.commitTogether(storingRequests, []);
    expect(await listRequests(store, { limit: 10 })).toHaveLength(2);
    await log.stop();
    await catchUp(store);
    expect(await wrongRollups(store)).toEqual([]);
  });

  test('records whose piggybacked write fails are written in their own commit', async () => {
    const log = requestLog({ store, flushMs: 600_000, onDropped });
    await store.db.schema.alterTable('requests').renameTo('away').execute();
    log.write(recordWith({ id: 'r1' }));
    expect(await store.commitTogether(chargedSoFar, ['r1'])).toEqual(new Map());
    await store.db.schema.alterTable('away').renameTo('requests').execute();
    expect(await store.commitTogether(chargedSoFar, ['r1'])).toEqual(new Map());
    expect(await findRequest(store, 'r1')).toBeUndefined();
    await log.flush();
    expect(await findRequest(store, 'r1')).toBeDefined();
  });

  test('a record queued while others are being stored is stored too', async () => {
    const log = requestLog({ store, onDropped });
    log.write(recordWith({ id: 'r1' }));
    const first = log.flush();
    await Promise.resolve();
    log.write(recordWith({ id: 'r2' }));
    await first;
    log.write(recordWith({ id: 'r3' }));
    await log.flush();
    expect(await listRequests(store, { limit: 10 })).toHaveLength(3);
  });

  test('a record that already exists stays unchanged and does not block the others', async () => {
    const log = requestLog({ store, onDropped });
    log.write(recordWith({ id: 'r1', status: 200 }));
    await log.flush();
    log.write(recordWith({ id: 'r1', status: 500 }));
    log.write(recordWith({ id: 'r2' }));
    await log.flush();
    expect(await findRequest(store, 'r1')).toMatchObject({ status: 200 });
    expect(await findRequest(store, 'r2')).toBeDefined();
  });

  test('constraint results are summed by model and day, each record once, and deleted with the usage', async () => {
    const log = requestLog({ store, onDropped });
    const result = (model: string, constraint: 'json' | 'strict', outcome: 'met' | 'reprompted' | 'violated') => ({
      model,
      constraint,
      outcome,
    });
    const results = [result('a', 'json', 'reprompted'), result('a', 'json', 'met'), result('b', 'strict', 'violated')];
    log.write(recordWith({ id: 'p1', constraints: results, startedAt: 5 * dayMs }));
    log.write(recordWith({ id: 'p2', constraints: [result('a', 'json', 'met')], startedAt: 6 * dayMs + 7 }));
    await log.flush();
    log.write(recordWith({ id: 'p1', constraints: results, startedAt: 5 * dayMs }));
    await log.flush();
    const none = { met: 0, repaired: 0, reprompted: 0, violated: 0 };
    expect(await constraintSums(store, 5 * dayMs + 1)).toEqual(
      new Map([
        ['a', new Map([['json', { ...none, met: 2, reprompted: 1 }]])],
        ['b', new Map([['strict', { ...none, violated: 1 }]])],
      ]),
    );
    const later = new Map([['a', new Map([['json', { ...none, met: 1 }]])]]);
    expect(await constraintSums(store, 6 * dayMs)).toEqual(later);
    await catchUp(store);
    const keepMs = () => systemClock.now() - 6.5 * dayMs;
    const retention = requestRetention({ store, keepMs, keepUsageMs: keepMs, onError: expect.fail });
    retention.start();
    await eventually(async () => expect(await constraintSums(store, 0)).toEqual(later));
    retention.stop();
  });

  test('tool calls are summed by model, each record once', async () => {
    const log = requestLog({ store, onDropped });
    const calls = { seen: 3, parsed: 1, repaired: 1, failed: 1 };
    log.write(recordWith({ id: 'r1', calls }));
    log.write(recordWith({ id: 'r2', calls }));
    log.write(recordWith({ id: 'r3', model: 'other', calls: { seen: 1, parsed: 1, repaired: 0, failed: 0 } }));
    log.write(recordWith({ id: 'r4' }));
    await log.flush();
    log.write(recordWith({ id: 'r2', calls }));
    log.write(recordWith({ id: 'r5', model: 'other', calls: { seen: 1, parsed: 0, repaired: 0, failed: 1 } }));
    await log.flush();
    expect(await callSums(store)).toEqual(
      new Map([
        ['acme-2026', { seen: 6, parsed: 2, repaired: 2, failed: 2 }],
        ['other', { seen: 2, parsed: 1, repaired: 0, failed: 1 }],
      ]),
    );
  });

  test('a record with invalid numbers does not block the others', async () => {
    const log = requestLog({ store, onDropped });
    log.write(
      recordWith({ id: 'bad', durationMs: Number.NaN, promptTokens: Number.POSITIVE_INFINITY, firstByteMs: 1.6 }),
    );
    log.write(recordWith({ id: 'absurd', promptTokens: -1, completionTokens: Number.MAX_VALUE }));
    log.write(recordWith({ id: 'good', requestedModel: 'm'.repeat(1000) }));
    await log.flush();
    expect(await findRequest(store, 'bad')).toMatchObject({ durationMs: 0, promptTokens: undefined, firstByteMs: 2 });
    expect(await findRequest(store, 'absurd')).toMatchObject({ promptTokens: 0, completionTokens: 1e12 });
    expect((await findRequest(store, 'good'))?.requestedModel).toHaveLength(256);
  });

  test('a record with unstorable text does not block the others', async () => {
    const log = requestLog({ store, onDropped });
    log.write(recordWith({ id: 'bad', requestedModel: 'a\0b', userId: '\0', notes: ['\0', '\ud800'] }));
    log.write(recordWith({ id: 'good' }));
    await log.flush();
    expect(await findRequest(store, 'bad')).toMatchObject({ requestedModel: 'a\u{FFFD}b', userId: '\u{FFFD}' });
    expect(await findRequest(store, 'good')).toBeDefined();
  });

  test('a full queue drops records and reports how many, instead of growing', async () => {
    const log = requestLog({ store, queueMax: 10, onDropped });
    for (let index = 0; index < 15; index += 1) log.write(recordWith({ id: `r${index}` }));
    await log.stop();
    expect(dropped).toBe(5);
    expect(await listRequests(store, { limit: 100 })).toHaveLength(10);
  });

  test('dropped records are reported while the store does not answer, and after the stop', async () => {
    const { promise: answer, resolve } = Promise.withResolvers<void>();
    const commit: Store['commit'] = async (job, input) => {
      await answer;
      return store.commit(job, input);
    };
    const log = requestLog({ store: { ...store, commit }, flushMs: 1, queueMax: 1, onDropped });
    for (const id of ['r1', 'r2']) log.write(recordWith({ id }));
    const flushed = log.flush();
    await expect.poll(() => dropped, { message: 'the record beyond the limit is reported' }).toBe(1);
    resolve();
    await flushed;
    await log.stop();
    log.write(recordWith({ id: 'r3' }));
    await expect.poll(() => dropped, { message: 'the record after the stop is reported' }).toBe(2);
  });

  test('records wait for a store that fails', async () => {
    await store.db.schema.alterTable('requests').renameTo('away').execute();
    const log = requestLog({ store, flushMs: 1, onDropped });
    log.write(recordWith({ id: 'r1' }));
    await expect(log.flush()).rejects.toThrow(/no such table|does not exist/);
    await store.db.schema.alterTable('away').renameTo('requests').execute();
    await log.flush();
    expect(await findRequest(store, 'r1')).toBeDefined();
    expect(dropped).toBe(0);
  });

  test('only the record that the store always rejects is dropped and reported; the others are written', async () => {
    await refuse(store, 'requests', 'id', 'poison');
    const refused: string[] = [];
    const log = requestLog({ store, flushMs: 1, onDropped, onRefused: ({ id }) => void refused.push(id) });
    for (const id of ['r1', 'poison', 'r2']) log.write(recordWith({ id }));
    const tried = async () => (await Promise.allSettled([log.flush()]))[0].status;
    // A store that is busy for a moment gets another attempt.
    expect(await tried()).toBe('rejected');
    await expect.poll(tried, { message: 'a flush without the rejected record' }).toBe('fulfilled');
    expect((await listRequests(store, { limit: 10 })).map(({ id }) => id).toSorted()).toEqual(['r1', 'r2']);
    log.write(recordWith({ id: 'r3' }));
    await log.stop();
    expect([refused, dropped]).toEqual([['poison'], 1]);
    expect(await listRequests(store, { limit: 10 })).toHaveLength(3);
    await catchUp(store);
    expect(await wrongRollups(store)).toEqual([]);
  });

  test('a rejected record that is alone in its batch waits until another record shows that the store works', async () => {
    await refuse(store, 'requests', 'id', 'poison');
    const log = requestLog({ store, flushMs: 600_000, onDropped });
    const tried = async () => (await Promise.allSettled([log.flush()]))[0].status;
    log.write(recordWith({ id: 'poison' }));
    for (let tries = 0; tries < 20; tries += 1) expect(await tried()).toBe('rejected');
    expect(dropped).toBe(0);
    await accept(store, 'requests');
    await log.flush();
    expect(await findRequest(store, 'poison')).toBeDefined();
    await log.stop();
  });

  test('on stop, the records that the store accepts are written, and the rest is counted as dropped', async () => {
    await refuse(store, 'requests', 'id', 'poison');
    const log = requestLog({ store, flushMs: 600_000, onDropped });
    for (const id of ['r1', 'poison', 'r2']) log.write(recordWith({ id }));
    await log.stop();
    expect(dropped).toBe(1);
    expect(await listRequests(store, { limit: 10 })).toHaveLength(2);
  });

  test('many rejected records do not block the others', async () => {
    await refuse(store, 'requests', 'model', 'poison');
    const log = requestLog({ store, flushMs: 600_000, batchMax: 10, onDropped });
    for (let index = 0; index < 25; index += 1) log.write(recordWith({ id: `p${index}`, model: 'poison' }));
    for (let index = 0; index < 9; index += 1) log.write(recordWith({ id: `r${index}` }));
    const stored = async () => {
      await Promise.allSettled([log.flush()]);
      return (await listRequests(store, { limit: 100 })).length;
    };
    await expect.poll(stored, { message: 'all records that are not rejected are stored' }).toBe(9);
    await log.stop();
    expect(dropped).toBe(25);
  });

  test('records that cannot be written on stop are counted as dropped', async () => {
    await store.db.schema.dropTable('requests').execute();
    const log = requestLog({ store, onDropped });
    log.write(recordWith({ id: 'r1' }));
    await log.stop();
    log.write(recordWith({ id: 'r2' }));
    expect(dropped).toBe(1);
  });
});
