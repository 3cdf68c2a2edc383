import { type AliasedRawBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** Sums of counters as text, because a sum may exceed a number. The sum of no rows is 0, not null. */
export function sumColumns<Name extends string>(names: readonly Name[]): readonly AliasedRawBuilder<string, Name>[] {
  return names.map((name) => sql<string>`cast(coalesce(sum(${sql.ref(name)}), 0) as text)`.as(name));
}

/** Reads sums that are no money. */
export function readNumbers<Name extends string>(
  names: readonly Name[],
  row: Readonly<Record<Name, string>>,
): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name) => [name, Number(row[name])])) as Record<Name, number>;
}

interface Comparison<Key extends string> {
  readonly keys: readonly Key[];
  readonly sums: readonly string[];
  /** Queries for the same columns: the counters, and the sums that they should have. */
  readonly counted: RawBuilder<unknown>;
  readonly expected: RawBuilder<unknown>;
  /** Ignores differences that do not meet this condition. */
  readonly where?: RawBuilder<unknown>;
}

/** Returns the keys of counters that are wrong or missing. It reads everything: for checks, not for serving. */
export async function wrongCounters<Key extends string>(
  db: Kysely<Database>,
  { keys, sums, counted, expected, where = sql`true` }: Comparison<Key>,
): Promise<readonly Readonly<Record<Key, string | number>>[]> {
  const named = sql.join(keys.map((key) => sql.ref(key)));
  const columns = sql.join([...keys, ...sums].map((name) => sql.ref(name)));
  const { rows } = await sql<Readonly<Record<Key, string | number>>>`
    with counted as (${counted}), expected as (${expected})
    select distinct ${named} from (
      select * from (select ${columns} from counted except select ${columns} from expected) as only_counted
      union all
      select * from (select ${columns} from expected except select ${columns} from counted) as only_expected
    ) as different
    where ${where} order by ${named}`.execute(db);
  return rows;
}
