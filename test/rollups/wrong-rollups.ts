import { type RawBuilder, sql } from 'kysely';
import { dayMs, hourMs } from '../../src/core/time/calendar-day.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Store } from '../../src/platform/store/store.ts';
import {
  type Dimension,
  dimensions,
  dimensionTerms,
  everyAccount,
  routeDimension,
  storedOther,
} from '../../src/money/requests/rollups/rollup-dimensions.ts';
import { rollupSums, type SumName } from '../../src/money/requests/rollups/usage-sums.ts';
import { type RollupGrain, wrongDetails } from './wrong-details.ts';

const grains: readonly RollupGrain[] = [
  { table: 'usage_rollups', start: 'hour', lengthMs: hourMs },
  { table: 'usage_rollup_days', start: 'day', lengthMs: dayMs },
];

/**
 * Returns the rollups of every dimension that differ from their requests, without hours that exceeded the value limit.
 * Hours with deleted requests differ legitimately.
 */
export async function wrongRollups(store: Store): Promise<readonly object[]> {
  const wrong: object[] = [];
  for (const grain of grains) {
    const { table } = grain;
    const names = [...(await wrongSums(store, grain)), ...(await wrongDetails(store.db, grain))].map(
      ({ account_id, dimension, start: at, value }) => JSON.stringify({ table, account_id, dimension, at, value }),
    );
    wrong.push(...[...new Set(names)].map((name) => ownJson(name) as object));
  }
  return wrong;
}

/** Compares the sums in columns of the requests. Rollups without a request have only calls. */
async function wrongSums({ db }: Pick<Store, 'db'>, { table, start: column, lengthMs }: RollupGrain) {
  const start = sql.ref(column);
  const names = sql.join(['account_id', 'dimension', column, 'value'].map((name) => sql.ref(name)));
  const columns = sql.join([names, ...comparedSums.map((name) => sql.ref(name))]);
  const expected = comparedDimensions.flatMap((dimension) =>
    addedAlong(dimension, sql`${startOf(lengthMs)} as ${start}`),
  );
  const { rows } = await sql<
    Readonly<Record<'account_id' | 'dimension' | 'value', string>> & { start: number | string }
  >`
    with counted as (
      select ${columns} from ${sql.table(table)} where dimension not in (${routeDimension}, 'tag') and requests > 0
    ), expected as (select ${columns} from (${sql.join(expected, sql` union all `)}) as added)
    select distinct account_id, dimension, ${start} as start, value from (
      select * from (select * from counted except select * from expected) as only_counted
      union all
      select * from (select * from expected except select * from counted) as only_expected
    ) as different
    where not exists (
      select 1 from ${sql.table(table)} as rest where rest.value = ${storedOther} and rest.account_id = different.account_id
        and rest.dimension = different.dimension and rest.${start} = different.${start}
    )
    order by account_id, dimension, start, value`.execute(db);
  return rows.map((row) => ({ ...row, start: Number(row.start) }));
}

type ComparedSum = Exclude<SumName, 'calls' | 'failed_calls'>;

const comparedSums = rollupSums.filter((name): name is ComparedSum & typeof name => !name.endsWith('calls'));

/** A request has any number of tags, in one column. */
type ComparedDimension = Exclude<Dimension, 'tag'>;
export const comparedDimensions = dimensions.filter((dimension) => dimension !== 'tag');

/** The column of a request with the value of each dimension. */
export const valueColumns: Readonly<Record<ComparedDimension, string>> = {
  account: 'account_id',
  model: 'model',
  key: 'key_id',
  user: 'user_id',
  upstream: 'upstream',
  status: 'status',
  error: 'error_case',
};

function addedAlong(dimension: ComparedDimension, start: RawBuilder<unknown>): readonly RawBuilder<unknown>[] {
  const { ofAccount, ofAll } = dimensionTerms[dimension];
  const value = sql`coalesce('=' || cast(${sql.ref(valueColumns[dimension])} as text), '-') as value`;
  const owners = [...(ofAccount ? [sql`account_id`] : []), ...(ofAll ? [sql.lit(everyAccount)] : [])];
  return owners.map(
    (owner) => sql`
      select cast(${owner} as text) as account_id, cast(${sql.lit(dimension)} as text) as dimension, ${start}, ${value},
        ${added(comparedSums)} from requests group by 1, 2, 3, 4`,
  );
}

function startOf(lengthMs: number): RawBuilder<unknown> {
  return sql`started_at - started_at % ${sql.lit(lengthMs)}`;
}

function added(names: readonly ComparedSum[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql`${sql.raw(addedUp[name])} as ${sql.ref(name)}`));
}

/** Every sum, added up from the columns of the requests. */
const addedUp: Readonly<Record<ComparedSum, string>> = {
  requests: 'count(*)',
  errors: 'count(error_case)',
  client_gone: 'sum(client_gone)',
  answered: 'count(first_byte_ms)',
  prompt_tokens: 'coalesce(sum(prompt_tokens), 0)',
  completion_tokens: 'coalesce(sum(completion_tokens), 0)',
  cached_tokens: 'coalesce(sum(cached_tokens), 0)',
  reasoning_tokens: 'coalesce(sum(reasoning_tokens), 0)',
  cost: 'coalesce(sum(cost), 0)',
  provider_cost: 'coalesce(sum(provider_cost), 0)',
  costed: 'coalesce(sum(case when provider_cost is null then 0 else cost end), 0)',
  wait_ms: 'coalesce(sum(wait_ms), 0)',
  first_byte_ms: 'coalesce(sum(first_byte_ms), 0)',
  duration_ms: 'sum(duration_ms)',
  unwanted_streams: 'coalesce(sum(unwanted_stream), 0)',
};
