import * as fc from 'fast-check';
import { type CompiledQuery, sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { isDeep } from '../../test/depth.ts';
import { forEachStore, testStores } from '../../test/stores.ts';
import type { Store } from '../store/store.ts';
import { listRequests, type RequestFilter } from './find-requests.ts';
import { anyFilter, fill, manyRecords } from './fixtures/many-records.ts';
import { recordWith } from './fixtures/record.ts';
import type { RequestRecord } from './request-record.ts';
import { type RequestSearch, requestOrders, searchRequests } from './search-requests.ts';
import { storingRequests } from './request-writer.ts';

/** Filters that do not begin an index. */
const unbounded = new Set(['errorsOnly', 'errorCase', 'statusClass', 'status', 'keyIds', 'without']);

forEachStore(({ open }) => {
  test('any filter, read page by page, returns each matching request once, newest first', async () => {
    const store = await open();
    await fill(store);
    await fc.assert(
      fc.asyncProperty(anyFilter, fc.integer({ min: 1, max: 40 }), async (said, limit) => {
        expect((await allPages(store, { ...said, limit })).map(({ id }) => id)).toEqual(expectedIds(said));
      }),
      { numRuns: isDeep ? 100 : 40 },
    );
  });

  test('a search in any order examines at most the limit and returns each match among the examined requests once', async () => {
    const store = await open();
    await fill(store);
    const bound = fc.integer({ min: 1, max: 150 });
    await fc.assert(
      fc.asyncProperty(anyFilter, fc.constantFrom(...requestOrders), bound, async (said, order, examinedMax) => {
        const found = await everyPage(store, { ...said, order, examinedMax, limit: 17 });
        const isInTime = order === 'newest' || order === 'oldest';
        const wanted = isInTime ? matches(said) : matches(said, lookedAt(said, examinedMax));
        expect(found.map(({ id }) => id)).toEqual([...wanted].sort(by[order]).map(({ id }) => id));
      }),
      { numRuns: isDeep ? 60 : 25 },
    );
  });
});

describe('on sqlite, which can explain its query plans', () => {
  const { open } = testStores('sqlite');
  let store: Store;
  let last: CompiledQuery;

  beforeEach(async () => {
    store = await open({
      log: ({ query }) => {
        if (query.sql.startsWith('select')) last = query;
      },
    });
    await fill(store);
  });

  test('any page of any filter is read from an index in its order, without a full scan or a sort', async () => {
    const after = { startedAt: 30, id: 'r200' };
    await fc.assert(
      fc.asyncProperty(anyFilter, fc.boolean(), async (said, isLater) => {
        await listRequests(store, { ...said, ...(isLater && { after }), limit: 50 });
        const plan = await planOf(last);
        expect(plan).toHaveLength(1);
        expect(plan[0]).toMatch(/^(SEARCH|SCAN) requests USING INDEX requests_by_\w+/);
        const isBounded = Object.keys(said).some((name) => !unbounded.has(name)) || isLater;
        if (isBounded) expect(plan[0]).toMatch(/^SEARCH/);
      }),
      { numRuns: isDeep ? 100 : 40 },
    );
  });

  test('a search limits the requests it examines through the index it reads', async () => {
    const said = { accountId: 'acc_1', upstream: 'acme', status: 502, examinedMax: 5, limit: 50 };
    for (const order of requestOrders) {
      await searchRequests(store, { ...said, order }, 1000);
      const [byId, , found] = await planOf(last);
      expect(byId).toMatch(/^SEARCH requests USING INDEX sqlite_autoindex_requests_1 /);
      expect(found).toMatch(/^SEARCH requests USING INDEX requests_by_account /);
      expect(found).toContain(order === 'oldest' ? '(started_at,id)<' : '(started_at,id)>');
    }
  });

  test('the requests of one account for one user are found without reading other requests', async () => {
    await searchRequests(store, { accountId: 'acc_1', userId: 'u1', order: 'newest', examinedMax: 5, limit: 50 }, 1000);
    expect(await planOf(last)).toContain(
      'SEARCH requests USING COVERING INDEX requests_by_account_user (account_id=? AND user_id=?)',
    );
  });

  test('one index covers the cost, duration, status, error and model of the requests of an account', async () => {
    const said = {
      accountId: 'acc_1',
      status: 502,
      errorCase: 'upstream-failed',
      model: 'm1',
      examinedMax: 5,
      limit: 50,
    };
    for (const order of requestOrders) {
      await searchRequests(store, { ...said, order }, 1000);
      expect((await planOf(last))[2]).toMatch(/^SEARCH requests USING COVERING INDEX requests_by_account /);
    }
  });

  test('a rare key of a busy user is found by the key, and a rare user of a busy key by the user', async () => {
    const record = (index: number) => ({ startedAt: 100 + index, accountId: 'acc_9', keyId: 'often', userId: 'often' });
    const often = Array.from({ length: 30 }, (_, index) => recordWith({ id: `often ${index}`, ...record(index) }));
    const rareKey = recordWith({ ...record(-2), id: 'key', keyId: 'rare' });
    const rareUser = recordWith({ ...record(-1), id: 'user', userId: 'rare' });
    await store.commit(storingRequests, [rareKey, rareUser, ...often]);
    for (const order of requestOrders) {
      const search = { accountId: 'acc_9', order, examinedMax: 20, limit: 50 };
      const byKey = await searchRequests(store, { ...search, keyId: 'rare', userId: 'often' }, 1000);
      expect(byKey.records.map(({ id }) => id)).toEqual(['key']);
      expect(byKey.searchedTo).toBeUndefined();
      const byUser = await searchRequests(store, { ...search, keyId: 'often', userId: 'rare' }, 1000);
      expect(byUser.records.map(({ id }) => id)).toEqual(['user']);
      expect(byUser.searchedTo).toBeUndefined();
    }
  });

  test.each([
    [{ since: 3 }, 'time'],
    [{ model: 'm1' }, 'model'],
    [{ userId: 'u1' }, 'user'],
    [{ site: 'partner', until: 9 }, 'site'],
    [{ statusClass: 5 }, 'refusal'],
    [{ status: 502 }, 'refusal'],
    [{ errorsOnly: true }, 'error'],
    [{ accountId: 'acc_1', model: 'm1', site: 'main', userId: 'u1' }, 'account_user'],
    [{ accountId: 'acc_1', keyId: 'key_1', model: 'm1', since: 3 }, 'key'],
  ] as const)('a search for %o uses the index by %s', async (said, index) => {
    await listRequests(store, { ...said, limit: 50 });
    expect((await planOf(last))[0]).toContain(`USING INDEX requests_by_${index}`);
  });

  test('the plan comes from the query planner, not from the test', async () => {
    const unindexed = sql`select * from requests where finish = 'stop' order by duration_ms`.compile(store.db);
    expect(await planOf(unindexed)).toEqual(['SCAN requests', 'USE TEMP B-TREE FOR ORDER BY']);
  });

  async function planOf(query: CompiledQuery): Promise<readonly string[]> {
    const explained = { ...query, sql: `explain query plan ${query.sql}` };
    const { rows } = await store.db.executeQuery<{ detail: string }>(explained);
    return rows.map(({ detail }) => detail);
  }
});

async function allPages(store: Store, first: RequestFilter): Promise<readonly RequestRecord[]> {
  const found: RequestRecord[] = [];
  for (;;) {
    const page = await listRequests(store, { ...first, after: found.at(-1) });
    found.push(...page);
    if (page.length < first.limit) return found;
  }
}

/** Reads page by page. Each page respects the limits and reports where it stopped. */
async function everyPage(store: Store, first: RequestSearch): Promise<readonly RequestRecord[]> {
  const found: RequestRecord[] = [];
  for (let after: RequestSearch['after']; ; ) {
    const page = await searchRequests(store, { ...first, after }, 1000);
    expect(page.records.length).toBeLessThanOrEqual(first.limit);
    found.push(...page.records);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

const newest = (a: RequestRecord, b: RequestRecord) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1);
const costliest = (a: RequestRecord, b: RequestRecord) =>
  Number((b.cost ?? -1n) - (a.cost ?? -1n)) || (a.id < b.id ? 1 : -1);
const slowest = (a: RequestRecord, b: RequestRecord) => b.durationMs - a.durationMs || (a.id < b.id ? 1 : -1);
const by: Readonly<Record<RequestSearch['order'], typeof newest>> = {
  newest,
  costliest,
  slowest,
  oldest: (a, b) => newest(b, a),
  cheapest: (a, b) => costliest(b, a),
  fastest: (a, b) => slowest(b, a),
};

const indexes = [['accountId', 'userId'], ['keyId'], ['accountId'], ['userId'], ['model'], ['site']] as const;

/** The first requests of the index for a search, up to the limit; of user and key, the index that reaches further. */
function lookedAt(said: Omit<RequestFilter, 'limit'>, examinedMax: number): readonly RequestRecord[] {
  const { since, until } = said;
  const leading = indexes.filter((columns) => columns.every((name) => said[name] !== undefined));
  const [first = withoutNames(said), second] = leading.map((columns) =>
    matches({ since, until, ...Object.fromEntries(columns.map((name) => [name, said[name]])) }),
  );
  const [one, other] = [first, leading[1]?.[0] === 'keyId' && second ? second : first].map((found) =>
    found.sort(newest).slice(0, examinedMax),
  );
  const reach = (found = one) => (found && found.length < examinedMax ? -1 : found?.at(-1)?.startedAt) ?? -1;
  return (reach(other) < reach(one) ? other : one) ?? [];
}

function withoutNames({ since, until, errorsOnly, errorCase, ...said }: Omit<RequestFilter, 'limit'>): RequestRecord[] {
  const isError = errorsOnly || errorCase !== undefined;
  const isRefusal = !isError && ((said.status ?? 0) >= 400 || (said.statusClass ?? 0) >= 4);
  return matches({ since, until, ...(isError && { errorsOnly }) }).filter(
    (record) => (!isRefusal || record.status >= 400) && (!isError || record.errorCase !== undefined),
  );
}

const fields = { model: 'model', user_id: 'userId', upstream: 'upstream', error_case: 'errorCase' } as const;

function expectedIds(said: Omit<RequestFilter, 'limit'>): readonly string[] {
  return [...matches(said)].sort(newest).map(({ id }) => id);
}

function matches(said: Omit<RequestFilter, 'limit'>, looked: readonly RequestRecord[] = manyRecords): RequestRecord[] {
  return looked.filter(
    (record) =>
      (said.accountId === undefined || record.accountId === said.accountId) &&
      (said.keyId === undefined || record.keyId === said.keyId) &&
      (said.model === undefined || record.model === said.model) &&
      (said.userId === undefined || record.userId === said.userId) &&
      (said.site === undefined || record.site === said.site) &&
      (said.keyIds === undefined || said.keyIds.includes(record.keyId)) &&
      (said.without === undefined || record[fields[said.without]] === undefined) &&
      (said.since === undefined || record.startedAt >= said.since) &&
      (said.until === undefined || record.startedAt < said.until) &&
      (said.status === undefined || record.status === said.status) &&
      (said.statusClass === undefined || Math.floor(record.status / 100) === said.statusClass) &&
      (!said.errorsOnly || record.errorCase !== undefined) &&
      (said.errorCase === undefined || record.errorCase === said.errorCase),
  );
}
