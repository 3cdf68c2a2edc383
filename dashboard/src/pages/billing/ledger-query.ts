import { useFilters } from '../../components/filter-bar.tsx';
import { lineKinds } from '../../components/ledger-words.ts';
import { useText } from '../../text/text.tsx';
import { startOfDay } from '../../text/wall-clock.ts';

/** The query parameters of the ledger API. */
export interface LedgerQuery {
  readonly kind?: string;
  readonly since?: string;
  readonly until?: string;
}

export const filterNames = ['kind', 'from', 'to'] as const;

/** The filters in the URL: a kind, and the first and last day in the user's time zone. */
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
