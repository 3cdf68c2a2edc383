import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { slicedUsage, type UsageGrouping } from '../src/admin/usage-figures.ts';
import { usageSpan } from '../src/admin/usage-points.ts';
import { searchRequests } from '../src/requests/search-requests.ts';
import {
  dayValuesFactor,
  type Dimension,
  dimensions,
  dimensionTerms,
  everyAccount,
} from '../src/requests/slice-dimensions.ts';
import { hourMs } from '../src/requests/usage-hours.ts';
import { valueColumns } from '../src/requests/wrong-slices.ts';
import { openStore, type Store, type StorePlace } from '../src/store/store.ts';
import { sql } from 'kysely';
import { startPostgres } from '../test/services/postgres.ts';
import { quantiles } from './statistics.ts';

// Whether pages of usage and requests take as long over many requests as over few: the same thirty days, the same accounts,
// models and users. The database makes the rows and adds them up itself: a gateway's job would take an hour for millions.
const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    few: { type: 'string', default: '5000' },
    many: { type: 'string', default: '5000000' },
    /** How often each page is asked for. */
    rounds: { type: 'string', default: '20' },
  },
});
const counts = [Number(values.few), Number(values.many)] as const;
const rounds = Number(values.rounds);
const until = Date.parse('2026-06-30T00:00:00Z');
const span = usageSpan({ since: until - 30 * 24 * hourMs, until, interval: 'day', zone: 'Asia/Shanghai' }, until);
const accounts = 20;
const users = 300;
const chunkSize = 100_000;
interface Grain {
  readonly table: string;
  readonly lengthMs: number;
  /** How many times the values of an hour. */
  readonly factor: number;
}

const grains: readonly Grain[] = [
  { table: 'usage_slices', lengthMs: hourMs, factor: 1 },
  { table: 'usage_slice_days', lengthMs: 24 * hourMs, factor: dayValuesFactor },
];

/** The first page of a list. */
const first = { order: 'newest', limit: 51 } as const;

const postgres = values.engine === 'postgres' ? await startPostgres(['fsync=off']) : undefined;
const [few, many] = [await filled(counts[0]), await filled(counts[1])];
console.log(`\nmedian of ${rounds}, in ms | ${counts[0]} requests | ${counts[1]} requests | ratio`);
const pagesOfMany = pages(many.store);
for (const [index, [page, ask]] of pages(few.store).entries()) {
  const tookMs = await mediansMs([ask, pagesOfMany[index]?.[1] ?? ask]);
  const [ofFew = 0, ofMany = 0] = tookMs;
  console.log(`${page} | ${ofFew.toFixed(1)} | ${ofMany.toFixed(1)} | ${(ofMany / ofFew).toFixed(1)}`);
}
await few.close();
await many.close();
await postgres?.stop();

/** A store with so many requests. */
async function filled(count: number) {
  const data = await mkdtemp(join(tmpdir(), 'gateway-usage-'));
  const place: StorePlace = postgres ? { database: await postgres.createDatabase() } : { data };
  const store = await openStore(postgres ? { ...place, statementMs: 1_800_000 } : place);
  const beganMs = performance.now();
  await fill(store, count);
  // What a database does by itself, sooner or later.
  if (postgres) await sql`vacuum analyze`.execute(store.db);
  console.log(`${count} requests were stored and added up in ${((performance.now() - beganMs) / 1000).toFixed(0)} s.`);
  const close = async () => {
    await store.close();
    await rm(data, { recursive: true });
  };
  return { store, close };
}

/** What the dashboard asks for. */
function pages(store: Store): readonly (readonly [string, () => Promise<unknown>])[] {
  const sliced = (by: UsageGrouping, accountId: string | undefined) => () =>
    slicedUsage(store, span, { accountId, by, order: 'cost', limit: 50 });
  const own = (['model', 'key', 'user', 'status', 'error'] as const).map(
    (by) => [`an account's usage by ${by}`, sliced(by, 'acc_1')] as const,
  );
  const all = (['account', 'model', 'upstream'] as const).map(
    (by) => [`everybody's usage by ${by}`, sliced(by, undefined)] as const,
  );
  return [
    ...own,
    ...all,
    ["an account's requests", () => searchRequests(store, { ...first, accountId: 'acc_1' }, until)],
    ["a user's requests", () => searchRequests(store, { ...first, accountId: 'acc_1', userId: 'user 1' }, until)],
  ];
}

/** The median of each, asked in turn, so that whatever else the machine does falls on all of them. */
async function mediansMs(asks: readonly (() => Promise<unknown>)[]): Promise<readonly number[]> {
  const tookMs = asks.map((): number[] => []);
  for (const ask of asks) await ask();
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, ask] of asks.entries()) {
      const beganMs = performance.now();
      await ask();
      tookMs[index]?.push(performance.now() - beganMs);
    }
  }
  return tookMs.map((times) => quantiles(times).p50);
}

async function fill(store: Store, count: number): Promise<void> {
  for (let from = 0; from < count; from += chunkSize) {
    const end = Math.min(from + chunkSize, count);
    await insertRows(store, { from, end, count });
    console.error(`${end} of ${count}`);
  }
  for (const dimension of dimensions) {
    for (const grain of grains) await addUp(store, dimension, grain);
    console.error(`added up by ${dimension}`);
  }
}

/** What the gateway's job would leave: the busiest values of an hour apart, the others together; in the order of time. */
async function addUp(store: Store, dimension: Dimension, { table, lengthMs, factor }: Grain): Promise<void> {
  const { ofAccount, ofAll, valuesMax } = dimensionTerms[dimension];
  const value = sql`coalesce('=' || cast(${sql.ref(valueColumns[dimension])} as text), '-')`;
  const length = sql.lit(lengthMs);
  for (const account of [ofAccount ? sql`account_id` : undefined, ofAll ? sql.lit(everyAccount) : undefined]) {
    if (account === undefined) continue;
    await sql`
      insert into ${sql.table(table)}
      select account, ${sql.lit(dimension)}, start, case when place < ${sql.lit(factor * valuesMax)} then value else '+' end,
        sum(requests), sum(errors), 0, sum(requests - errors), sum(requests) * 100, sum(requests) * 50, 0, 0, sum(cost), 0, 0,
        sum(requests) * 3, sum(requests - errors) * 200, sum(requests) * 900
      from (
        select sums.*, row_number() over (partition by account, start order by requests desc, value) as place
        from (
          select ${account} as account, started_at - started_at % ${length} as start, ${value} as value,
            count(*) as requests, count(error_case) as errors, sum(cost) as cost
          from requests group by 1, 2, 3
        ) as sums
      ) as ranked
      group by 1, 3, 4 order by start, sum(cost) % 97`.execute(store.db);
  }
}

interface Part {
  readonly from: number;
  readonly end: number;
  readonly count: number;
}

/** The same mixture at every size, evenly over the time; more users than an hour tells apart. */
async function insertRows(store: Store, { from, end, count }: Part): Promise<void> {
  const spanMs = span.to - span.from;
  await sql`
    with recursive numbers (n) as (
      select cast(${from} as bigint) union all select n + 1 from numbers where n + 1 < ${end}
    ), spreads as (select n, (n * 48271) % 2147483647 as s from numbers)
    insert into requests (id, started_at, account_id, key_id, user_id, site, surface, asked_model, model, upstream,
      upstream_model, status, error_case, attempts, duration_ms, client_gone, cost, sliced)
    select 'r' || n, ${span.from} + n * cast(${Math.floor(spanMs / count)} as bigint), 'acc_' || (s % ${sql.lit(accounts)}),
      'key_' || (s % ${sql.lit(accounts)}) || '_' || (s % 7), 'user ' || ((s / ${sql.lit(accounts)}) % ${sql.lit(users)}),
      'default', '/v1/chat/completions', 'model-' || (s % 11), 'model-' || (s % 11), 'upstream-' || (s % 3), 'model-' || (s % 11),
      case when s % 23 = 0 then 503 else 200 end, case when s % 23 = 0 then 'overloaded' end, 1, 900, 0, s % 1000000, 1
    from spreads`.execute(store.db);
}
