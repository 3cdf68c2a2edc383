import { useFilters } from '../../components/filters.ts';
import { lineKinds } from '../../components/ledger-words.ts';
import { useText } from '../../text/text.tsx';
import { startOfDay } from '../../text/wall-clock.ts';

/** What the gateway is asked for. */
export interface LedgerQuery {
  readonly kind?: string;
  readonly since?: string;
  readonly until?: string;
}

export const filterNames = ['kind', 'from', 'to'] as const;

/** The filters in the address: a kind, and the viewer's first and last day. */
export function useLedgerQuery(): LedgerQuery {
  const { timeZone } = useText();
  const [{ kind, from, to }] = useFilters(filterNames);
  const since = startOfDay(from, 0, timeZone);
  const until = startOfDay(to, 1, timeZone);
  return {
    ...(lineKinds.some((one) => one === kind) && { kind }),
    ...(since && { since }),
    ...(until && { until }),
  };
}
