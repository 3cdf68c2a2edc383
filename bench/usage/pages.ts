import { dayMs } from '../../src/core/time/calendar-day.ts';
import { overviewOf } from '../../src/manage/admin/usage/overview.ts';
import { usageByDimension, type UsageDimension } from '../../src/manage/admin/usage/usage-figures.ts';
import { type RequestSearch, searchRequests } from '../../src/money/requests/search-requests.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { busyUser, plainUser, rareKey, span, until } from './made-requests.ts';

export interface DashboardQuery {
  readonly title: string;
  readonly run: (store: Store) => Promise<unknown>;
}

const account = 'acc_1';

/** The queries of the dashboard. */
export const dashboardQueries: readonly DashboardQuery[] = [
  ...(['model', 'key', 'member', 'user', 'tag', 'upstream', 'status', 'error'] as const).map((by) =>
    byDimension(by, account),
  ),
  ...(['account', 'model', 'key', 'member', 'user', 'tag', 'upstream', 'status', 'error'] as const).map((by) =>
    byDimension(by, undefined),
  ),
  { title: "an operator's overview", run: overviewOfAll },
  { title: "an account's overview", run: (store) => overviewOf({ store }, { ...span, intervalMs: dayMs }, account) },
  listed('all requests', {}),
  listed('all requests of a model', { model: 'model-1' }),
  listed('all requests with an error', { errorsOnly: true }),
  listed('all requests with a status', { status: 503 }),
  listed("an account's requests", { accountId: account }),
  listed('… of a model', { accountId: account, model: 'model-1' }),
  listed('… with an error', { accountId: account, errorCase: 'overloaded' }),
  listed('… with a status that was never given', { accountId: account, status: 418 }),
  listed('… of a key', { accountId: account, keyId: 'key_1_1' }),
  listed('… of a user', { accountId: account, userId: plainUser }),
  listed('… of a user with many', { accountId: account, userId: busyUser }),
  listed('… of a rare key of that user', { accountId: account, userId: busyUser, keyId: rareKey }),
  listed('… costliest first', { accountId: account, order: 'costliest' }),
  listed('… slowest first', { accountId: account, order: 'slowest' }),
  listed('all requests, costliest first', { order: 'costliest' }),
];

function byDimension(by: UsageDimension, accountId: string | undefined): DashboardQuery {
  const title = `${accountId === undefined ? "all accounts'" : "an account's"} usage by ${by}`;
  return { title, run: (store) => usageByDimension(store, span, { accountId, by, order: 'cost', limit: 50 }) };
}

async function overviewOfAll(store: Store): Promise<void> {
  for (const by of ['account', 'model', 'upstream', 'error'] as const) {
    await usageByDimension(store, span, { accountId: undefined, by, order: 'cost', limit: 50 });
  }
}

/** The first page of a list. */
function listed(title: string, search: Partial<RequestSearch>): DashboardQuery {
  return { title, run: (store) => searchRequests(store, { order: 'newest', limit: 51, ...search }, until) };
}
