import { useFilters } from '../../components/filters.ts';

/** The kinds of lines a ledger holds. */
export const lineKinds = ['charge', 'charge-rest', 'top_up', 'grant', 'refund', 'adjust'] as const;

/** What the gateway is asked for. */
export interface LedgerQuery {
  readonly kind?: string;
  readonly since?: string;
  readonly until?: string;
}

export const filterNames = ['kind', 'from', 'to'] as const;

/** The filters in the address: a kind, and the viewer's first and last day. */
export function useLedgerQuery(): LedgerQuery {
  const [{ kind, from, to }] = useFilters(filterNames);
  const since = startOf(from, 0);
  const until = startOf(to, 1);
  return {
    ...(lineKinds.some((one) => one === kind) && { kind }),
    ...(since && { since }),
    ...(until && { until }),
  };
}

/** The midnight that begins a day written as `2026-01-31`, or one some days later. */
function startOf(day: string | undefined, daysLater: number): string | undefined {
  const midnight = new Date(`${day}T00:00:00`);
  if (Number.isNaN(midnight.getTime())) return undefined;
  midnight.setDate(midnight.getDate() + daysLater);
  return midnight.toISOString();
}
