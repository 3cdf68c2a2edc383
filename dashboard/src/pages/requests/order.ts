import type { ColumnOrder } from '../../components/data-table.tsx';
import { type PlainKey } from '../../text/text.tsx';

/** How the list may be ordered, as the address and the gateway say it; the first is what is not said. */
export const orders: readonly (readonly [string, PlainKey])[] = [
  ['newest', 'requests.orderNewest'],
  ['oldest', 'requests.orderOldest'],
  ['costliest', 'requests.orderCostliest'],
  ['cheapest', 'requests.orderCheapest'],
  ['slowest', 'requests.orderSlowest'],
  ['fastest', 'requests.orderFastest'],
];

/** What a column can be ordered by: downwards, then upwards. */
const columnOrders: Readonly<Record<string, readonly [down: string, up: string]>> = {
  time: ['newest', 'oldest'],
  cost: ['costliest', 'cheapest'],
  duration: ['slowest', 'fastest'],
};

/** How a column stands in the order of the list, and the order that a click on it asks for. */
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
