import { type Kysely, type RawBuilder, sql } from 'kysely';
import { dayMs, hourMs } from '../../src/core/time/calendar-day.ts';
import {
  dayValuesFactor,
  type Dimension,
  dimensions,
  dimensionTerms,
  everyAccount,
} from '../../src/money/requests/rollups/rollup-dimensions.ts';
import { valueColumns } from '../../test/rollups/wrong-rollups.ts';
import type { Database } from '../../src/platform/store/database.ts';
import { dayTable } from './made-requests.ts';

const grains = [
  { table: 'usage_rollups', lengthMs: hourMs, factor: 1 },
  { table: 'usage_rollup_days', lengthMs: dayMs, factor: dayValuesFactor },
] as const;

/** One dimension of one day, by the hour. */
const hoursTable = 'made_hours';

/**
 * Writes the rollups of one day of requests. The database computes the sums, because the job of the gateway would take
 * hours for millions of requests.
 */
export async function addUpDay(db: Kysely<Database>): Promise<void> {
  for (const dimension of dimensions) {
    await groupHours(db, dimension);
    for (const grain of grains) await addRollups(db, dimension, grain);
  }
  await addHours(db);
}

async function groupHours(db: Kysely<Database>, dimension: Dimension): Promise<void> {
  // Each request has one tag.
  const column = dimension === 'tag' ? 'tags' : valueColumns[dimension];
  await sql`drop table if exists ${sql.table(hoursTable)}`.execute(db);
  await sql`
    create temporary table ${sql.table(hoursTable)} as
    select account_id, started_at - started_at % ${sql.lit(hourMs)} as hour,
      coalesce('=' || cast(${sql.ref(column)} as text), '-') as value,
      count(*) as requests, count(error_case) as errors, sum(cost) as cost, sum(duration_ms) as duration_ms
    from ${sql.table(dayTable)} group by 1, 2, 3`.execute(db);
}

/** Keeps the busiest values of an hour or day apart and adds the others together. */
async function addRollups(
  db: Kysely<Database>,
  dimension: Dimension,
  { table, lengthMs, factor }: (typeof grains)[number],
): Promise<void> {
  const { ofAccount, ofAll, valuesMax } = dimensionTerms[dimension];
  const own = sql.lit(factor * valuesMax - 1);
  const sums = ['requests', 'errors', 'cost', 'duration_ms'].map((name) => sql.ref(name));
  const added = sql.join(sums.map((sum) => sql`sum(${sum}) as ${sum}`));
  for (const account of [ofAccount ? sql`account_id` : undefined, ofAll ? sql.lit(everyAccount) : undefined]) {
    if (account === undefined) continue;
    await sql`
      insert into ${sql.table(table)}
      select account, ${sql.lit(dimension)}, start, shown, ${sumsOfRollup} from (
        select account, start, case when place <= ${own} then value else '+' end as shown, ${added} from (
          select grouped.*, row_number() over (partition by account, start order by requests desc, value) as place from (
            select ${account} as account, hour - hour % ${sql.lit(lengthMs)} as start, value, ${added}
            from ${sql.table(hoursTable)} group by 1, 2, 3
          ) as grouped
        ) as placed group by 1, 2, 3
      ) as folded order by start, cost % 97`.execute(db);
  }
}

/** As long as the histograms of a busy hour. Every entry has the same length. */
const histograms = Array.from({ length: 60 }, (_, bucket) => `${String(bucket * 10).padStart(3, '0')}:25;`).join('');
const entryLength = histograms.length / 60;
/** A request adds an entry for its queue time, its time to first token and its speed. */
const ownHistograms = sql`substr('${sql.raw(histograms)}', 1, cast(${sql.lit(3 * entryLength)} * requests as integer))`;

/** In the order of the columns, from the four values that differ between requests. */
const counts = sql`requests, errors, 0, requests - errors, requests * 100, requests * 50, 0, 0`;
const times = sql`requests * 3, (requests - errors) * 200, duration_ms`;
const sumsOfRollup: RawBuilder<unknown> = sql`${counts}, cost, 0, 0, ${times}, requests, 0, 0, ${ownHistograms}`;

/** The other tables that overviews read. */
async function addHours(db: Kysely<Database>): Promise<void> {
  const hour = sql`started_at - started_at % ${sql.lit(hourMs)} as hour`;
  const from = sql`from ${sql.table(dayTable)}`;
  await sql`
    insert into error_hours (hour, account_id, error_case, requests)
    select ${hour}, account_id, error_case, count(*) ${from} where error_case is not null group by 1, 2, 3`.execute(db);
  await sql`
    insert into spend_hours (hour, account_id, key_id, amount)
    select ${hour}, account_id, key_id, sum(cost) ${from} group by 1, 2, 3`.execute(db);
}
