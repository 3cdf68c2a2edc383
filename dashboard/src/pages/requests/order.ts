import type { ColumnOrder } from '../../components/data-table.tsx';
import { type FixedTextKey } from '../../text/text.tsx';

/** The orders of the list, as in the URL and the API. The first is the default. */
export const orders: readonly (readonly [string, FixedTextKey])[] = [
  ['newest', 'requests.orderNewest'],
  ['oldest', 'requests.orderOldest'],
  ['costliest', 'requests.orderCostliest'],
  ['cheapest', 'requests.orderCheapest'],
  ['slowest', 'requests.orderSlowest'],
  ['fastest', 'requests.orderFastest'],
];

/** The orders of a column: descending, then ascending. */
const columnOrders: Readonly<Record<string, readonly [down: string, up: string]>> = {
  time: ['newest', 'oldest'],
  cost: ['costliest', 'cheapest'],
  duration: ['slowest', 'fastest'],
};

/** The current order of a column, and the setter for a click. */
export function columnOrder(
  key: string,
  order: string | undefined,
  choose: (order: string) => void,
): ColumnOrder | undefined {
  const known = columnOrders[key];
  if (!known) return undefined;
  const [down, up] = known;
  const current = order ?? 'newest';
  const now = current === down ? 'descending' : current === up ? 'ascending' : undefined;
  return { now, choose: () => choose(current === down ? up : down) };
}
