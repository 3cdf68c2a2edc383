import { sql } from 'kysely';
import type { Nano } from '../core/money.ts';
import type { Store } from '../store/store.ts';

export interface UsageFilter {
  readonly accountId: string;
  readonly since: number;
  readonly until: number;
  readonly by: 'model' | 'key';
}

/** What was used under one model or key. */
export interface UsageLine {
  /** A catalog id or the id of a key; empty for requests that named no model of the catalog. */
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  /** `undefined` where nothing says what it cost. */
  readonly cost: Nano | undefined;
}

/** Usage added up from the records of the requests themselves, the busiest first. */
export async function usageFromRequests(store: Store, filter: UsageFilter): Promise<readonly UsageLine[]> {
  const rows = await store.db
    .selectFrom('requests')
    .select((row) => [
      row.ref(filter.by === 'model' ? 'model' : 'key_id').as('name'),
      row.fn.countAll<number>().as('requests'),
      row.fn.count<number>('error_case').as('errors'),
      row.fn.sum<number | null>('prompt_tokens').as('promptTokens'),
      row.fn.sum<number | null>('cached_tokens').as('cachedTokens'),
      row.fn.sum<number | null>('completion_tokens').as('completionTokens'),
      sql<string | null>`cast(sum(cost) as text)`.as('cost'),
    ])
    .where('account_id', '=', filter.accountId)
    .where('started_at', '>=', filter.since)
    .where('started_at', '<', filter.until)
    .groupBy(filter.by === 'model' ? 'model' : 'key_id')
    .orderBy('requests', 'desc')
    .limit(linesMax)
    .execute();
  return rows.map((row) => ({
    name: row.name ?? '',
    requests: row.requests,
    errors: row.errors,
    promptTokens: row.promptTokens ?? 0,
    cachedTokens: row.cachedTokens ?? 0,
    completionTokens: row.completionTokens ?? 0,
    cost: row.cost === null ? undefined : BigInt(row.cost),
  }));
}

const linesMax = 1000;
