import type { RouteSpec } from '../../api/resource.ts';

/** A route in the editor. Its position is its failover order. */
export interface RouteRow {
  readonly key: number;
  readonly upstream: string;
  /** Empty: the id of the model. */
  readonly model: string;
  readonly weight: number | string;
  /** Shares the traffic with the route above instead of being tried after it. */
  readonly together: boolean;
  /** The provider's price per million tokens. Empty if unknown. */
  readonly costInput: string;
  readonly costOutput: string;
  /** The fields that the editor does not have. */
  readonly otherFields: Omit<RouteSpec, 'upstream' | 'model' | 'weight' | 'priority'>;
}

/** Routes as rows, in failover order. */
export function rowsOf(routes: readonly RouteSpec[]): readonly RouteRow[] {
  const sorted = routes.toSorted((one, other) => (one.priority ?? 0) - (other.priority ?? 0));
  return sorted.map(({ upstream, model = '', weight = 1, priority = 0, ...otherFields }, index) => {
    const above = sorted[index - 1];
    const together = above !== undefined && (above.priority ?? 0) === priority;
    const { input: costInput = '', output: costOutput = '' } =
      typeof otherFields.cost === 'object' ? otherFields.cost : {};
    return { key: index, upstream, model, weight, together, costInput, costOutput, otherFields };
  });
}

/** Rows as routes of the configuration. Each row that is not shared increases the priority by one. */
export function routesOf(rows: readonly RouteRow[]): readonly RouteSpec[] {
  let priority = 0;
  return rows.map(({ upstream, model, weight, together, ...row }, index) => {
    if (index > 0 && !together) priority += 1;
    const isDefault = weight === 1 || weight === '';
    const { cost, ...otherFields } = row.otherFields;
    const newCost = costOf(row, cost);
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

/** The typed cost, with the other fields kept. If nothing is typed, `free` stays. */
function costOf(
  { costInput, costOutput }: Pick<RouteRow, 'costInput' | 'costOutput'>,
  before: RouteSpec['cost'],
): RouteSpec['cost'] {
  const [input, output] = [costInput.trim(), costOutput.trim()];
  if (input === '' && output === '') return before === 'free' ? before : undefined;
  return { ...(typeof before === 'object' && before), input, output };
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
    { key, upstream, model: '', weight: 1, together: false, costInput: '', costOutput: '', otherFields: {} },
  ];
}

/** Whether a row shares its priority with another, so that its weight has an effect. */
export function isShared(rows: readonly RouteRow[], index: number): boolean {
  return rows[index]?.together === true || rows[index + 1]?.together === true;
}
