import { type AliasedRawBuilder, sql } from 'kysely';

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
