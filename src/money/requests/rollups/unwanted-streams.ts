import { sql } from 'kysely';
import type { Store } from '../../../platform/store/store.ts';
import { everyAccount, type RollupValue, rollupValue, storedOther } from './rollup-dimensions.ts';
import { rollupLines, type SpanQuery } from './usage-rollups.ts';

/** A key whose clients request one JSON body and receive streams. */
export interface UnwantedStreams {
  readonly keyId: string;
  readonly unwantedStreams: number;
  /** All requests of the key in the same span. */
  readonly requests: number;
}

/** The keys with the most requests for one JSON body that received a stream. Hours without any are not read. */
export async function keysWithUnwantedStreams(
  store: Store,
  query: SpanQuery,
  limit: number,
): Promise<readonly UnwantedStreams[]> {
  const { accountId, from, to } = query;
  const owner = accountId === undefined ? sql`account_id <> ${everyAccount}` : sql`account_id = ${accountId}`;
  const { rows } = await sql<{ account_id: string; value: string }>`
    select account_id, value from usage_rollups
    where unwanted_streams > 0 and hour >= ${from} and hour < ${to} and ${owner} and dimension = 'key'
      and value <> ${storedOther}
    group by account_id, value order by sum(unwanted_streams) desc, value limit ${limit}`.execute(store.db);
  const only = rows.map((row): RollupValue => {
    const value = rollupValue(row.value);
    return value.kind === 'value' && accountId === undefined ? { ...value, accountId: row.account_id } : value;
  });
  const lines = await rollupLines(store, { ...query, by: 'key', only });
  return lines
    .map(({ value, sums: { unwanted_streams: unwantedStreams, requests } }) => {
      return { keyId: value.kind === 'value' ? value.value : '', unwantedStreams, requests };
    })
    .toSorted((one, other) => other.unwantedStreams - one.unwantedStreams || (one.keyId < other.keyId ? -1 : 1));
}
