import { beforeEach, expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { dayMs } from '../../core/time/calendar-day.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Store } from '../../platform/store/store.ts';
import { responseKeeper, type ResponseKeeper } from './response-keeper.ts';
import { deleteResponse, responseChain, responsesOfItems, storedResponses } from './stored-responses.ts';
import { storingResponses } from './storing-job.ts';

const response = (id: string, more: object = {}) => ({
  id,
  accountId: 'a',
  previousId: undefined,
  createdAt: 1000,
  sealed: 'sealed',
  itemIds: [],
  ...more,
});
/** Longer than since 1970: the test may take as long as it likes. */
const whole = { accountId: 'a', keepMs: systemClock.now() + dayMs };

forEachStore(({ open }) => {
  let store: Store;
  let keeper: ResponseKeeper;
  let accountBytesMax: number;
  let commits: number;
  beforeEach(async () => {
    const opened = await open();
    commits = 0;
    accountBytesMax = 1e9;
    const commitTogether: Store['commitTogether'] = (job, input) => {
      commits += 1;
      return opened.commitTogether(job, input);
    };
    store = { ...opened, commitTogether };
    keeper = responseKeeper({
      store,
      clock: systemClock,
      accountBytesMax: () => accountBytesMax,
      onError: (error) => expect.unreachable(String(error)),
    });
  });
  const keepResponse = (of: ReturnType<typeof response>) => keeper.keep(of);

  test('a chain is read in one query, up to the first missing response', async () => {
    await keepResponse(response('r1'));
    await keepResponse(response('r2', { previousId: 'r1' }));
    await keepResponse(response('r3', { previousId: 'r2' }));
    const ids = async (id: string, more: object = {}) =>
      (await responseChain(store, { id, linksMax: 10, ...whole, ...more })).map((link) => link.id);
    expect(await ids('r3')).toEqual(['r3', 'r2', 'r1']);
    expect(await ids('r3', { linksMax: 2 })).toEqual(['r3', 'r2']);
    expect(await ids('r3', { accountId: 'b' })).toEqual([]);
    expect(await ids('r3', { keepMs: dayMs })).toEqual([]);
    expect(await deleteResponse(store, 'b', 'r2')).toBe(false);
    expect(await deleteResponse(store, 'a', 'r2')).toBe(true);
    expect(await ids('r3')).toEqual(['r3']);
    const found = async (more: object = {}) =>
      (await storedResponses.find(store, { ids: ['r1', 'r2', 'r3'], ...whole, ...more })).map((row) => row.id).sort();
    expect(await found()).toEqual(['r1', 'r3']);
    expect(await found({ accountId: 'b' })).toEqual([]);
    expect(await found({ keepMs: dayMs })).toEqual([]);
  });

  test('a response stored twice counts once, and a deleted one no longer counts', async () => {
    await keepResponse(response('r1', { itemIds: ['i1'] }));
    await keepResponse(response('r1', { itemIds: ['i1'] }));
    expect(await storedResponses.most(store, 10)).toEqual([{ accountId: 'a', account: 'a', count: 1, bytes: 6 }]);
    expect(await responsesOfItems(store, 'a', ['i1', 'i2'])).toEqual(new Map([['i1', 'r1']]));
    expect(await responsesOfItems(store, 'b', ['i1'])).toEqual(new Map());
    expect(await storedResponses.total(store)).toEqual({ count: 1, bytes: 6 });
    await deleteResponse(store, 'a', 'r1');
    expect(await storedResponses.most(store, 10)).toEqual([]);
    expect(await storedResponses.total(store)).toEqual({ count: 0, bytes: 0 });
    expect(await responsesOfItems(store, 'a', ['i1'])).toEqual(new Map());
  });

  test('the oldest responses are deleted for the newest, which stays however large it is', async () => {
    accountBytesMax = 12;
    for (const [index, id] of ['r1', 'r2', 'r3'].entries()) await keepResponse(response(id, { createdAt: index }));
    const oldest = () => storedResponses.find(store, { ids: ['r1'], ...whole });
    await expect.poll(oldest, { message: 'the oldest response is deleted' }).toEqual([]);
    expect(await storedResponses.most(store, 10)).toEqual([{ accountId: 'a', account: 'a', count: 2, bytes: 12 }]);
    await keepResponse(response('r4', { createdAt: 9, sealed: 'x'.repeat(50) }));
    await keeper.stop();
    expect(await storedResponses.most(store, 10)).toEqual([{ accountId: 'a', account: 'a', count: 1, bytes: 50 }]);
  });

  test('responses that arrive together share a commit and update one sum per account', async () => {
    const some = Array.from({ length: 50 }, (_, at) =>
      response(`r${at}`, { accountId: at % 2 ? 'a' : 'b', itemIds: [`i${at}`] }),
    );
    await Promise.all(some.map(keepResponse));
    expect(commits).toBe(1);
    expect(await storedResponses.total(store)).toEqual({ count: 50, bytes: 300 });
    expect((await storedResponses.most(store, 10)).map(({ count }) => count)).toEqual([25, 25]);
    expect(await responsesOfItems(store, 'a', ['i1'])).toEqual(new Map([['i1', 'r1']]));
  });

  test('a waiting response is piggybacked on another commit', async () => {
    const [first, second] = [keepResponse(response('r1')), store.commitTogether(storingResponses, [])];
    await Promise.all([first, second]);
    expect(commits).toBe(1);
    expect(await storedResponses.total(store)).toEqual({ count: 1, bytes: 6 });
  });

  test('a response waits 2 s for an unreachable store, and is stored once when the store is back', async () => {
    const clock = manualClock();
    const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    let isAway = true;
    const commitTogether: Store['commitTogether'] = (job, input) =>
      isAway ? Promise.reject(away) : store.commitTogether(job, input);
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const waiting = responseKeeper({ store: { ...store, commitTogether }, clock, accountBytesMax: () => 1e9, onError });
    const kept = [waiting.keep(response('r1')), waiting.keep(response('r1'))];
    await expect.poll(() => errors).toEqual([away]);
    isAway = false;
    clock.advance(2000);
    expect(await Promise.race(kept)).toBe('pending');
    await waiting.stop();
    expect(await storedResponses.total(store)).toEqual({ count: 1, bytes: 6 });
    await expect(waiting.keep(response('r2'))).rejects.toThrow('not stored');
  });

  test('a response that a stopping process cannot store is reported', async () => {
    const clock = manualClock();
    const away = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const errors: string[] = [];
    const commitTogether = () => Promise.reject(away);
    const onError = (error: unknown) => void errors.push(String(error));
    const waiting = responseKeeper({ store: { ...store, commitTogether }, clock, accountBytesMax: () => 1e9, onError });
    const kept = waiting.keep(response('r1'));
    clock.advance(2000);
    expect(await kept).toBe('pending');
    await waiting.stop();
    await expect.poll(() => errors.at(-1)).toContain('r1');
  });

  test('old responses are deleted', async () => {
    await keepResponse(response('r1', { createdAt: 1 }));
    await keepResponse(response('r2', { createdAt: 5, accountId: 'b' }));
    expect(await storedResponses.deleteOlder(store, 5)).toBe(false);
    expect(await storedResponses.most(store, 10)).toEqual([{ accountId: 'b', account: 'b', count: 1, bytes: 6 }]);
  });
});
