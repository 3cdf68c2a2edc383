import * as fc from 'fast-check';
import { type CompiledQuery, sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { isDeep } from '../../../test/depth.ts';
import { forEachStore, testStores } from '../../../test/stores/stores.ts';
import type { Store } from '../../platform/store/store.ts';
import { listRequests, type RequestFilter } from './find-requests.ts';
import { anyFilter, fill, manyRecords } from '../../../test/fixtures/requests/many-records.ts';
import { recordWith } from '../../../test/fixtures/requests/record.ts';
import type { RequestRecord } from './request-record.ts';
import { type RequestSearch, requestOrders, searchRequests } from './search-requests.ts';
import { storingRequests } from './request-writer.ts';

/** Filters that do not begin an index. */
const unbounded = new Set(['errorsOnly', 'errorCase', 'statusClass', 'status', 'keyIds', 'without', 'tag']);

forEachStore(({ open }) => {
  test('any filter, read page by page, returns each matching request once, newest first', async () => {
    const store = await open();
    await fill(store);
    await fc.assert(
      fc.asyncProperty(anyFilter, fc.integer({ min: 1, max: 40 }), async (criteria, limit) => {
        expect((await allPages(store, { ...criteria, limit })).map(({ id }) => id)).toEqual(expectedIds(criteria));
      }),
      { numRuns: isDeep ? 100 : 40 },
    );
  });

  test('a search in any order examines at most the limit and returns each match among the examined requests once', async () => {
    const store = await open();
    await fill(store);
    const bound = fc.integer({ min: 1, max: 150 });
    await fc.assert(
      fc.asyncProperty(anyFilter, fc.constantFrom(...requestOrders), bound, async (criteria, order, examinedMax) => {
        const results = await everyPage(store, { ...criteria, order, examinedMax, limit: 17 });
        const isInTime = order === 'newest' || order === 'oldest';
        const wanted = isInTime ? matches(criteria) : matches(criteria, examined(criteria, examinedMax));
        expect(results.map(({ id }) => id)).toEqual([...wanted].sort(by[order]).map(({ id }) => id));
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
      fc.asyncProperty(anyFilter, fc.boolean(), async (criteria, isLater) => {
        await listRequests(store, { ...criteria, ...(isLater && { after }), limit: 50 });
        const plan = await planOf(last);
        expect(plan).toHaveLength(1);
        expect(plan[0]).toMatch(/^(SEARCH|SCAN) requests USING INDEX requests_by_\w+/);
        const isBounded = Object.keys(criteria).some((name) => !unbounded.has(name)) || isLater;
        if (isBounded) expect(plan[0]).toMatch(/^SEARCH/);
      }),
      { numRuns: isDeep ? 100 : 40 },
    );
  });

  test('a search limits the requests it examines through the index it reads', async () => {
    const criteria = { accountId: 'acc_1', upstream: 'acme', status: 502, examinedMax: 5, limit: 50 };
    for (const order of requestOrders) {
      await searchRequests(store, { ...criteria, order }, 1000);
      const [byId, , searchPlan] = await planOf(last);
      expect(byId).toMatch(/^SEARCH requests USING INDEX sqlite_autoindex_requests_1 /);
      expect(searchPlan).toMatch(/^SEARCH requests USING INDEX requests_by_account /);
      expect(searchPlan).toContain(order === 'oldest' ? '(started_at,id)<' : '(started_at,id)>');
    }
  });

  test('the requests of one account for one user are found without reading other requests', async () => {
    await searchRequests(store, { accountId: 'acc_1', userId: 'u1', order: 'newest', examinedMax: 5, limit: 50 }, 1000);
    expect(await planOf(last)).toContain(
      'SEARCH requests USING COVERING INDEX requests_by_account_user (account_id=? AND user_id=?)',
    );
  });

  test('one index covers the cost, duration, status, error and model of the requests of an account', async () => {
    const criteria = {
      accountId: 'acc_1',
      status: 502,
      errorCase: 'upstream-failed',
      model: 'm1',
      examinedMax: 5,
      limit: 50,
    };
    for (const order of requestOrders) {
      await searchRequests(store, { ...criteria, order }, 1000);
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
  ] as const)('a search for %o uses the index by %s', async (criteria, index) => {
    await listRequests(store, { ...criteria, limit: 50 });
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
  const results: RequestRecord[] = [];
  for (;;) {
    const page = await listRequests(store, { ...first, after: results.at(-1) });
    results.push(...page);
    if (page.length < first.limit) return results;
  }
}

/** Reads page by page. Each page respects the limits and reports where it stopped. */
async function everyPage(store: Store, first: RequestSearch): Promise<readonly RequestRecord[]> {
  const results: RequestRecord[] = [];
  for (let after: RequestSearch['after']; ; ) {
    const page = await searchRequests(store, { ...first, after }, 1000);
    expect(page.records.length).toBeLessThanOrEqual(first.limit);
    results.push(...page.records);
    if (page.next === undefined) return results;
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
function examined(criteria: Omit<RequestFilter, 'limit'>, examinedMax: number): readonly RequestRecord[] {
  const { since, until } = criteria;
  const leading = indexes.filter((columns) => columns.every((name) => criteria[name] !== undefined));
  const [first = withoutNames(criteria), second] = leading.map((columns) =>
    matches({ since, until, ...Object.fromEntries(columns.map((name) => [name, criteria[name]])) }),
  );
  const [one, other] = [first, leading[1]?.[0] === 'keyId' && second ? second : first].map((results) =>
    results.sort(newest).slice(0, examinedMax),
  );
  const reach = (results = one) => (results && results.length < examinedMax ? -1 : results?.at(-1)?.startedAt) ?? -1;
  return (reach(other) < reach(one) ? other : one) ?? [];
}

function withoutNames({
  since,
  until,
  errorsOnly,
  errorCase,
  ...criteria
}: Omit<RequestFilter, 'limit'>): RequestRecord[] {
  const isError = errorsOnly || errorCase !== undefined;
  const isRefusal = !isError && ((criteria.status ?? 0) >= 400 || (criteria.statusClass ?? 0) >= 4);
  return matches({ since, until, ...(isError && { errorsOnly }) }).filter(
    (record) => (!isRefusal || record.status >= 400) && (!isError || record.errorCase !== undefined),
  );
}

const fields = {
  model: 'model',
  user_id: 'userId',
  upstream: 'upstream',
  error_case: 'errorCase',
  tags: 'tags',
} as const;

function expectedIds(criteria: Omit<RequestFilter, 'limit'>): readonly string[] {
  return [...matches(criteria)].sort(newest).map(({ id }) => id);
}

function matches(
  criteria: Omit<RequestFilter, 'limit'>,
  records: readonly RequestRecord[] = manyRecords,
): RequestRecord[] {
  return records.filter(
    (record) =>
      (criteria.accountId === undefined || record.accountId === criteria.accountId) &&
      (criteria.keyId === undefined || record.keyId === criteria.keyId) &&
      (criteria.model === undefined || record.model === criteria.model) &&
      (criteria.userId === undefined || record.userId === criteria.userId) &&
      (criteria.tag === undefined || record.tags?.includes(criteria.tag) === true) &&
      (criteria.site === undefined || record.site === criteria.site) &&
      (criteria.keyIds === undefined || criteria.keyIds.includes(record.keyId)) &&
      (criteria.without === undefined || record[fields[criteria.without]] === undefined) &&
      (criteria.since === undefined || record.startedAt >= criteria.since) &&
      (criteria.until === undefined || record.startedAt < criteria.until) &&
      (criteria.status === undefined || record.status === criteria.status) &&
      (criteria.statusClass === undefined || Math.floor(record.status / 100) === criteria.statusClass) &&
      (!criteria.errorsOnly || record.errorCase !== undefined) &&
      (criteria.errorCase === undefined || record.errorCase === criteria.errorCase),
  );
}
