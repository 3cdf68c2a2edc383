import type { RouteSpec } from '../../api/resource.ts';
import { changedPrice, noPrices, priceValues, type PriceValues } from './price-values.ts';

/** A route in the editor. Its position is its failover order. */
export interface RouteRow {
  readonly key: number;
  readonly upstream: string;
  /** Empty: the id of the model. */
  readonly model: string;
  readonly weight: number | string;
  /** Shares the traffic with the route above instead of being tried after it. */
  readonly together: boolean;
  readonly cost: CostValues;
  /** The fields that the editor does not have. */
  readonly otherFields: Omit<RouteSpec, 'upstream' | 'model' | 'weight' | 'priority'>;
}

/** The price that the provider charges, as typed. */
export interface CostValues {
  readonly state: 'unknown' | 'free' | 'priced';
  readonly price: PriceValues;
}

/** Routes as rows, in failover order. */
export function rowsOf(routes: readonly RouteSpec[]): readonly RouteRow[] {
  const sorted = routes.toSorted((one, other) => (one.priority ?? 0) - (other.priority ?? 0));
  return sorted.map(({ upstream, model = '', weight = 1, priority = 0, ...otherFields }, index) => {
    const above = sorted[index - 1];
    const together = above !== undefined && (above.priority ?? 0) === priority;
    return { key: index, upstream, model, weight, together, cost: costValues(otherFields.cost), otherFields };
  });
}

/** Rows as routes of the configuration. Each row that is not shared increases the priority by one. */
export function routesOf(rows: readonly RouteRow[]): readonly RouteSpec[] {
  let priority = 0;
  return rows.map(({ upstream, model, weight, together, cost, ...row }, index) => {
    if (index > 0 && !together) priority += 1;
    const isDefault = weight === 1 || weight === '';
    const { cost: before, ...otherFields } = row.otherFields;
    const newCost = costSpec(cost, before);
    return {
      ...otherFields,
      upstream,
      ...(model.trim() !== '' && { model: model.trim() }),
      ...(priority > 0 && { priority }),
      ...(!isDefault && { weight: Number(weight) }),
      ...(newCost !== undefined && { cost: newCost }),
    };
  });
}

function costValues(cost: RouteSpec['cost']): CostValues {
  if (typeof cost === 'object') return { state: 'priced', price: priceValues(cost) };
  return { state: cost ?? 'unknown', price: noPrices };
}

function costSpec({ state, price }: CostValues, before: RouteSpec['cost']): RouteSpec['cost'] {
  if (state === 'unknown') return undefined;
  return state === 'free' ? 'free' : changedPrice(price, before);
}

/** Moves a row. It joins the group that it lands in and leaves its old group, which stays together. */
export function moved(rows: readonly RouteRow[], from: number, to: number): readonly RouteRow[] {
  const row = rows[from];
  if (!row || to < 0 || to >= rows.length || from === to) return rows;
  const rest = without(rows, from);
  const together = rest[to]?.together === true;
  return [...rest.slice(0, to), { ...row, together }, ...rest.slice(to)];
}

/** Removes a row. The rest of its group stays together. */
export function without(rows: readonly RouteRow[], index: number): readonly RouteRow[] {
  const isHead = rows[index]?.together === false;
  return rows
    .map((row, each) => (isHead && each === index + 1 ? { ...row, together: false } : row))
    .filter((_, each) => each !== index);
}

export function withRoute(rows: readonly RouteRow[], upstream: string): readonly RouteRow[] {
  const key = Math.max(-1, ...rows.map((row) => row.key)) + 1;
  return [
    ...rows,
    { key, upstream, model: '', weight: 1, together: false, cost: costValues(undefined), otherFields: {} },
  ];
}

/** Whether a row shares its priority with another, so that its weight has an effect. */
export function isShared(rows: readonly RouteRow[], index: number): boolean {
  return rows[index]?.together === true || rows[index + 1]?.together === true;
}
