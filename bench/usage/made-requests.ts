import { type Kysely, sql } from 'kysely';
import { dayMs } from '../../src/core/time/calendar-day.ts';
import { usageSpan } from '../../src/manage/admin/usage/usage-points.ts';
import type { Database } from '../../src/platform/store/database.ts';

/** The end of the queried time span. */
export const until = Date.parse('2026-06-30T00:00:00Z');
export const span = usageSpan({ since: until - 30 * dayMs, until, interval: 'day', zone: 'Asia/Shanghai' }, until);

export const accounts = 20;
/** More users than an hour or a day keeps apart. One of them makes a quarter of all requests. */
const labels = 400;
export const busyUser = 'user 0';
export const plainUser = 'user 399';
/** A key that only the busy user of the account has, for one in five thousand of the account's requests. */
export const rareKey = 'key_rare';

/** A table without indexes for the requests of one day, from which the rollups are computed. */
export const dayTable = 'made_requests';

/** UTC days within the span, each with the numbers of its requests. */
export function daysOf(count: number): readonly { readonly first: number; readonly end: number }[] {
  const stepMs = stepOf(count);
  const days = [];
  for (let day = span.from - (span.from % dayMs); day < span.to; day += dayMs) {
    const first = Math.max(0, Math.ceil((day - span.from) / stepMs));
    const end = Math.min(count, Math.ceil((day + dayMs - span.from) / stepMs));
    if (first < end) days.push({ first, end });
  }
  return days;
}

function stepOf(count: number): number {
  return Math.floor((span.to - span.from) / count);
}

/** The same mixture at every size, spread evenly over the time. Ids are in the order of time, as with a gateway. */
export async function makeRequests(
  db: Kysely<Database>,
  { first, end, count }: { readonly first: number; readonly end: number; readonly count: number },
): Promise<void> {
  const account = sql`(s % ${sql.lit(accounts)})`;
  const label = sql`((s / ${sql.lit(accounts)}) % ${sql.lit(labels)})`;
  const isRare = sql`${account} = 1 and ${label} = 0 and (s / ${sql.lit(accounts * labels)}) % 13 = 0`;
  await sql`drop table if exists ${sql.table(dayTable)}`.execute(db);
  await sql`
    create temporary table ${sql.table(dayTable)} as
    with recursive numbers (n) as (
      select cast(${sql.lit(first)} as bigint) union all select n + 1 from numbers where n + 1 < ${sql.lit(end)}
    ), spreads as (select n, (n * 48271) % 2147483647 as s from numbers)
    select 'r' || (n + 100000000) as id, ${sql.lit(span.from)} + n * cast(${sql.lit(stepOf(count))} as bigint) as started_at,
      'acc_' || ${account} as account_id,
      case when ${isRare} then ${sql.lit(rareKey)} else 'key_' || ${account} || '_' || (s % 7) end as key_id,
      'user ' || case when ${label} < ${sql.lit(labels / 4)} then 0 else ${label} end as user_id,
      'tag ' || ${label} as tags,
      'model-' || (s % 11) as model, 'upstream-' || (s % 3) as upstream,
      cast(case when s % 23 = 0 then 503 else 200 end as integer) as status,
      case when s % 23 = 0 then 'overloaded' end as error_case, s % 1000000 as cost, 100 + s % 9973 as duration_ms
    from spreads`.execute(db);
  await sql`
    insert into requests (id, started_at, account_id, key_id, user_id, site, surface, requested_model, model, upstream,
      upstream_model, status, error_case, attempts, duration_ms, client_gone, cost, tags)
    select id, started_at, account_id, key_id, user_id, 'default', '/v1/chat/completions', model, model, upstream,
      model, status, error_case, 1, duration_ms, 0, cost, tags
    from ${sql.table(dayTable)} order by started_at`.execute(db);
}
