import { beforeEach, expect, test } from 'vitest';
import { forEachStore } from '../../test/stores.ts';
import type { Store } from '../store/store.ts';
import {
  deleteOlder,
  deleteResponse,
  findResponse,
  keepResponse,
  keptSums,
  keptTotal,
  responseChain,
  responsesOfItems,
  sealedResponses,
} from './kept-responses.ts';

const response = (id: string, more: object = {}) => ({
  id,
  accountId: 'a',
  model: 'm',
  previousId: undefined,
  createdAt: 1000,
  sealed: 'sealed',
  itemIds: [],
  ...more,
});
const whole = { accountId: 'a', since: 0 };

forEachStore(({ open }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  test('a chain is found in one look, up to where it breaks', async () => {
    await keepResponse(store, response('r1'), 1e9);
    await keepResponse(store, response('r2', { previousId: 'r1' }), 1e9);
    await keepResponse(store, response('r3', { previousId: 'r2' }), 1e9);
    const ids = async (id: string, more: object = {}) =>
      (await responseChain(store, { id, linksMax: 10, ...whole, ...more })).map((link) => link.id);
    expect(await ids('r3')).toEqual(['r3', 'r2', 'r1']);
    expect(await ids('r3', { linksMax: 2 })).toEqual(['r3', 'r2']);
    expect(await ids('r3', { accountId: 'b' })).toEqual([]);
    expect(await ids('r3', { since: 1001 })).toEqual([]);
    expect(await deleteResponse(store, 'b', 'r2')).toBe(false);
    expect(await deleteResponse(store, 'a', 'r2')).toBe(true);
    expect(await ids('r3')).toEqual(['r3']);
    expect([...(await sealedResponses(store, { ids: ['r1', 'r2', 'r3'], ...whole })).keys()].sort()).toEqual([
      'r1',
      'r3',
    ]);
  });

  test('what is kept twice counts once, and what is deleted counts no more', async () => {
    await keepResponse(store, response('r1', { itemIds: ['i1'] }), 1e9);
    await keepResponse(store, response('r1', { itemIds: ['i1'] }), 1e9);
    expect(await keptSums(store, 10)).toEqual([{ accountId: 'a', account: 'a', responses: 1, bytes: 6 }]);
    expect(await responsesOfItems(store, 'a', ['i1', 'i2'])).toEqual(new Map([['i1', 'r1']]));
    expect(await responsesOfItems(store, 'b', ['i1'])).toEqual(new Map());
    expect(await keptTotal(store)).toEqual({ responses: 1, bytes: 6 });
    await deleteResponse(store, 'a', 'r1');
    expect(await keptSums(store, 10)).toEqual([]);
    expect(await keptTotal(store)).toEqual({ responses: 0, bytes: 0 });
    expect(await responsesOfItems(store, 'a', ['i1'])).toEqual(new Map());
  });

  test('the oldest make room for the newest, which stays however large it is', async () => {
    for (const [index, id] of ['r1', 'r2', 'r3'].entries()) {
      await keepResponse(store, response(id, { createdAt: index }), 12);
    }
    expect(await findResponse(store, { id: 'r1', ...whole })).toBeUndefined();
    expect(await keptSums(store, 10)).toEqual([{ accountId: 'a', account: 'a', responses: 2, bytes: 12 }]);
    await keepResponse(store, response('r4', { createdAt: 9, sealed: 'x'.repeat(50) }), 12);
    expect(await keptSums(store, 10)).toEqual([{ accountId: 'a', account: 'a', responses: 1, bytes: 50 }]);
  });

  test('what is too old goes', async () => {
    await keepResponse(store, response('r1', { createdAt: 1 }), 1e9);
    await keepResponse(store, response('r2', { createdAt: 5, accountId: 'b' }), 1e9);
    expect(await deleteOlder(store, 5)).toBe(false);
    expect(await keptSums(store, 10)).toEqual([{ accountId: 'b', account: 'b', responses: 1, bytes: 6 }]);
  });
});
