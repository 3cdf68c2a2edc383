import type { ApiKey } from '../../../money/accounts/keys.ts';
import { type RenewalZone, zoneOf } from '../../../core/time/cap-period.ts';
import { readLimits } from '../../../money/billing/budgets/limit-reading.ts';
import { decimalText } from '../../../core/money.ts';
import type { AdminParts } from '../parts.ts';
import { isoTimeOrNull } from '../api/wire.ts';

interface CapFigures {
  readonly cap_spent: string | null;
  readonly cap_renews_at: string | null;
}

export async function capFigures(
  { store, clock }: AdminParts,
  keys: readonly ApiKey[],
): Promise<(key: ApiKey) => CapFigures> {
  const zones = await timeZones({ store }, keys);
  const capped = keys.flatMap(({ id, accountId, firstId, spendCap, capPeriod }) => {
    if (spendCap === undefined) return [];
    const limits = [{ amount: spendCap, period: capPeriod ?? ('total' as const), notifyAt: [] }];
    const zone = zones.get(accountId) ?? zoneOf(null, null);
    return [{ id, scope: 'key' as const, subjectId: firstId, accountId, ...zone, limits }];
  });
  const readings = await readLimits(store, capped, clock.now());
  const byKey = new Map(capped.map(({ id }, index) => [id, readings[index]?.[0]]));
  return ({ id }) => {
    const reading = byKey.get(id);
    if (!reading) return { cap_spent: null, cap_renews_at: null };
    return { cap_spent: decimalText(reading.spent), cap_renews_at: isoTimeOrNull(reading.resetsAt) };
  };
}

/** Reads time zones only for keys whose cap resets. */
async function timeZones({ store }: Pick<AdminParts, 'store'>, keys: readonly ApiKey[]) {
  const ids = new Set(keys.filter(({ capPeriod }) => capPeriod).map(({ accountId }) => accountId));
  if (ids.size === 0) return new Map<string, RenewalZone>();
  const rows = await store.db
    .selectFrom('accounts')
    .select(['id', 'time_zone', 'kept_spans'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, zoneOf(row.time_zone, row.kept_spans)]));
}
