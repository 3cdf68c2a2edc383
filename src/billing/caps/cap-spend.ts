import { sql } from 'kysely';
import type { CalendarSpan } from '../../core/time/cap-period.ts';
import type { Nano } from '../../core/money.ts';
import type { Store } from '../../store/store.ts';
import { hoursIn, type SumSpan } from '../ledger/statement-sums.ts';

/** A key with a cap. The spend of the keys that it replaced counts too. */
export interface CappedKeyId {
  readonly firstId: string;
  /** The span that the cap covers. `undefined`: all time. */
  readonly span: CalendarSpan | undefined;
}

/** Returns the spend of each key within its cap's span. Runs one query per distinct span. */
export async function spentOfCaps(store: Store, keys: readonly CappedKeyId[]): Promise<(key: CappedKeyId) => Nano> {
  const spent = new Map<string, Nano>();
  for (const [name, group] of Map.groupBy(keys, spanName)) {
    const firstIds = [...new Set(group.map(({ firstId }) => firstId))];
    const sums = await sumsOf(store, firstIds, group[0]?.span);
    for (const { first, amount } of sums) {
      const key = `${name} ${first}`;
      spent.set(key, (spent.get(key) ?? 0n) + BigInt(amount));
    }
  }
  return (key) => spent.get(`${spanName(key)} ${key.firstId}`) ?? 0n;
}

function spanName({ span }: CappedKeyId): string {
  return span ? `${span.since}-${span.until}` : 'all';
}

interface CapSum {
  readonly first: string;
  readonly amount: string;
}

/**
 * Whole hours are read from the hourly sums. If the span begins or ends within an hour, that part is summed from its
 * charges.
 */
async function sumsOf(
  store: Store,
  firstIds: readonly string[],
  span: CalendarSpan | undefined,
): Promise<readonly CapSum[]> {
  if (!span) {
    const query = byFirst(store, firstIds).innerJoin('key_spend', 'key_spend.key_id', 'api_keys.id');
    return query.select(sql<string>`cast(sum(key_spend.spent) as text)`.as('amount')).execute();
  }
  const { hours: whole, edges } = hoursIn({ from: span.since, to: span.until });
  const hours = byFirst(store, firstIds)
    .innerJoin('spend_hours', 'spend_hours.key_id', 'api_keys.id')
    .where('spend_hours.hour', '>=', whole.from)
    .where('spend_hours.hour', '<', whole.to)
    .select(sql<string>`cast(sum(spend_hours.amount) as text)`.as('amount'));
  const parts = edges.map((edge) => charges(store, firstIds, edge));
  return (await Promise.all([hours.execute(), ...parts])).flat();
}

function charges(store: Store, firstIds: readonly string[], { from, to }: SumSpan): Promise<readonly CapSum[]> {
  return byFirst(store, firstIds)
    .innerJoin('transfers', (join) =>
      join
        .onRef('transfers.account_id', '=', 'api_keys.account_id')
        .onRef('transfers.key_id', '=', 'api_keys.id')
        .on('transfers.at', '>=', from)
        .on('transfers.at', '<', to)
        .on('transfers.kind', 'in', ['charge', 'charge-rest']),
    )
    .select(sql<string>`cast(-sum(transfers.amount) as text)`.as('amount'))
    .execute();
}

function byFirst(store: Store, firstIds: readonly string[]) {
  return store.db
    .selectFrom('api_keys')
    .where('api_keys.first_id', 'in', firstIds)
    .groupBy('api_keys.first_id')
    .select('api_keys.first_id as first');
}
