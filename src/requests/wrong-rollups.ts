import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { type Dimension, dimensions, dimensionTerms, everyAccount, storedOther } from './rollup-dimensions.ts';
import { rollupSums } from './usage-group.ts';
import { dayMs } from './constraint-days.ts';
import { hourMs } from './usage-hours.ts';

/** A rollup that differs from the sum of its requests. */
export interface WrongRollup {
  readonly account_id: string;
  readonly dimension: string;
  readonly hour: number;
  readonly value: string;
}

/**
 * Adds up all requests again along every dimension and returns the rollups that differ. It reads everything: for checks,
 * not for serving. Hours that exceeded the value limit are left out, as are hours whose requests were deleted.
 */
export async function wrongRollups(store: Store): Promise<readonly WrongRollup[]> {
  const hours = await wrongIn(store, { table: 'usage_rollups', start: 'hour', lengthMs: hourMs });
  const days = await wrongIn(store, { table: 'usage_rollup_days', start: 'day', lengthMs: dayMs });
  return [...hours, ...days];
}

interface SumsTable {
  readonly table: string;
  readonly start: string;
  readonly lengthMs: number;
}

async function wrongIn(store: Store, { table: name, start, lengthMs }: SumsTable): Promise<readonly WrongRollup[]> {
  const sums = sql.join(rollupSums.map((sum) => sql.ref(sum)));
  const columns = sql`account_id, dimension, hour, value, ${sums}`;
  const added = sql.join(
    dimensions.flatMap((dimension) => addedAlong(dimension, lengthMs)),
    sql` union all `,
  );
  const rollups = sql`(select account_id, dimension, ${sql.ref(start)} as hour, value, ${sums} from ${sql.table(name)})`;
  const { rows } = await sql<WrongRollup>`
    with added as (${added}), rollups as ${rollups}, counted as (
      select ${columns} from rollups where not exists (
        select 1 from rollups as rest where rest.value = ${storedOther} and rest.account_id = rollups.account_id
          and rest.dimension = rollups.dimension and rest.hour = rollups.hour
      )
    ), expected as (
      select ${columns} from added where not exists (
        select 1 from rollups as rest where rest.value = ${storedOther} and rest.account_id = added.account_id
          and rest.dimension = added.dimension and rest.hour = added.hour
      )
    )
    select distinct account_id, dimension, hour, value from (
      select * from (select * from counted except select * from expected) as only_counted
      union all
      select * from (select * from expected except select * from counted) as only_added
    ) as different
    order by 1, 2, 3, 4`.execute(store.db);
  return rows;
}

/** The column of a request with the value of each dimension. */
export const valueColumns: Readonly<Record<Dimension, string>> = {
  account: 'account_id',
  model: 'model',
  key: 'key_id',
  user: 'user_id',
  upstream: 'upstream',
  status: 'status',
  error: 'error_case',
};

function addedAlong(dimension: Dimension, lengthMs: number): readonly RawBuilder<unknown>[] {
  const { ofAccount, ofAll } = dimensionTerms[dimension];
  const value = sql`coalesce('=' || cast(${sql.ref(valueColumns[dimension])} as text), '-')`;
  const owners = [ofAccount ? sql`account_id` : undefined, ofAll ? sql`${sql.lit(everyAccount)}` : undefined];
  return owners
    .filter((owner) => owner !== undefined)
    .map(
      (owner) => sql`
      select cast(${owner} as text) as account_id, cast(${sql.lit(dimension)} as text) as dimension,
        started_at - started_at % ${sql.lit(lengthMs)} as hour, ${value} as value,
        count(*) as requests, count(error_case) as errors, sum(client_gone) as client_gone,
        count(first_byte_ms) as answered, coalesce(sum(prompt_tokens), 0) as prompt_tokens,
        coalesce(sum(completion_tokens), 0) as completion_tokens, coalesce(sum(cached_tokens), 0) as cached_tokens,
        coalesce(sum(reasoning_tokens), 0) as reasoning_tokens, coalesce(sum(cost), 0) as cost,
        coalesce(sum(provider_cost), 0) as provider_cost,
        coalesce(sum(case when provider_cost is null then 0 else cost end), 0) as costed, coalesce(sum(wait_ms), 0) as wait_ms,
        coalesce(sum(first_byte_ms), 0) as first_byte_ms, sum(duration_ms) as duration_ms
      from requests group by 1, 2, 3, 4`,
    );
}
