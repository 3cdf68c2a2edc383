import { sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { hourMs, usageSums } from './usage-hours.ts';

/** An hour of one account, key, model and site whose sums differ from its requests. */
export interface UncountedHour {
  readonly hour: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly model: string;
  readonly site: string;
}

/**
 * Adds up all requests again and returns the hours whose sums differ or are missing. It reads everything: for checks,
 * not for serving. Hours whose requests were deleted because of their age differ legitimately.
 */
export async function uncountedHours(store: Store, from = 0): Promise<readonly UncountedHour[]> {
  const sums = sql.join(usageSums.map((name) => sql.ref(name)));
  const { rows } = await sql<UncountedRow>`
    with counted as (
      select hour, account_id, key_id, model, site, ${sums} from usage_hours where hour >= ${from}
    ), added as (
      select started_at - started_at % ${sql.lit(hourMs)} as hour, account_id, key_id, coalesce(model, '') as model, site,
        count(*) as requests, count(error_case) as errors, sum(client_gone) as client_gone,
        count(first_byte_ms) as answered, coalesce(sum(prompt_tokens), 0) as prompt_tokens,
        coalesce(sum(completion_tokens), 0) as completion_tokens, coalesce(sum(cached_tokens), 0) as cached_tokens,
        coalesce(sum(reasoning_tokens), 0) as reasoning_tokens, coalesce(sum(cost), 0) as cost,
        coalesce(sum(wait_ms), 0) as wait_ms, coalesce(sum(first_byte_ms), 0) as first_byte_ms,
        sum(duration_ms) as duration_ms, coalesce(sum(unwanted_stream), 0) as unwanted_streams
      from requests where started_at >= ${from}
      group by 1, 2, 3, 4, 5
    )
    select distinct hour, account_id, key_id, model, site from (
      select * from (select * from counted except select * from added) as only_counted
      union all
      select * from (select * from added except select * from counted) as only_added
    ) as different
    order by 1, 2, 3, 4, 5`.execute(store.db);
  return rows.map((row) => ({
    hour: row.hour,
    accountId: row.account_id,
    keyId: row.key_id,
    model: row.model,
    site: row.site,
  }));
}

interface UncountedRow {
  readonly hour: number;
  readonly account_id: string;
  readonly key_id: string;
  readonly model: string;
  readonly site: string;
}
