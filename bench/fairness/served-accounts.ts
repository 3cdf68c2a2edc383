import { requestCost } from '../../src/serving/routing/queue/request-cost.ts';
import type { Store } from '../../src/platform/store/store.ts';

/** The work of an account in a span of time, from the gateway's records. */
export interface ServedAccount {
  served: number;
  readonly waitsMs: number[];
}

/** By the account's name. Counts answers that ended in the span, whenever they began to wait. */
export async function servedAccounts(
  store: Store,
  span: { readonly sinceMs: number; readonly untilMs: number },
): Promise<ReadonlyMap<string, ServedAccount>> {
  const rows = await store.db
    .selectFrom('requests')
    .innerJoin('accounts', 'accounts.id', 'requests.account_id')
    .select(['accounts.name', 'started_at', 'duration_ms', 'wait_ms', 'prompt_tokens', 'completion_tokens'])
    .execute();
  const served = new Map<string, ServedAccount>();
  for (const row of rows) {
    const endedMs = row.started_at + row.duration_ms;
    if (row.wait_ms === null || endedMs < span.sinceMs || endedMs >= span.untilMs) continue;
    const account = served.get(row.name) ?? { served: 0, waitsMs: [] };
    served.set(row.name, account);
    account.served += requestCost(row.prompt_tokens ?? 0, row.completion_tokens ?? 0);
    account.waitsMs.push(row.wait_ms);
  }
  return served;
}
