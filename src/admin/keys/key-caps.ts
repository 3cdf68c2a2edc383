import type { ApiKey } from '../../accounts/keys.ts';
import { defaultTimeZone } from '../../core/time/calendar-day.ts';
import { spentOfCaps } from '../../billing/caps/cap-spend.ts';
import { calendarSpans } from '../../core/time/cap-period.ts';
import { decimalText } from '../../core/money.ts';
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
  const spanAt = calendarSpans();
  const now = clock.now();
  const spanOf = ({ accountId, capPeriod: period }: ApiKey) =>
    period && spanAt({ period, timeZone: zones.get(accountId) ?? defaultTimeZone }, now);
  const capped = keys.filter(({ spendCap }) => spendCap !== undefined);
  const caps = capped.map((key) => ({ firstId: key.firstId, span: spanOf(key) }));
  const spent = await spentOfCaps(store, caps);
  return (key) => {
    if (key.spendCap === undefined) return { cap_spent: null, cap_renews_at: null };
    const span = spanOf(key);
    const amount = spent({ firstId: key.firstId, span });
    return { cap_spent: decimalText(amount), cap_renews_at: isoTimeOrNull(span?.until) };
  };
}

/** Reads time zones only for keys whose cap resets. */
async function timeZones({ store }: Pick<AdminParts, 'store'>, keys: readonly ApiKey[]) {
  const ids = new Set(keys.filter(({ capPeriod }) => capPeriod).map(({ accountId }) => accountId));
  if (ids.size === 0) return new Map<string, string | null>();
  const rows = await store.db
    .selectFrom('accounts')
    .select(['id', 'time_zone'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row.time_zone]));
}
