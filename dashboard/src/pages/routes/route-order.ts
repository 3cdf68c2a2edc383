import type { RouteSpec } from '../../api/resource.ts';

/** A route in the editor: its place is the order in which it is tried. */
export interface RouteRow {
  readonly key: number;
  readonly upstream: string;
  /** Empty: what the model is called here. */
  readonly model: string;
  readonly weight: number | string;
  /** Shares the traffic with the one above instead of coming after it. */
  readonly together: boolean;
  /** What the provider charges for a million tokens; empty where it is not known. */
  readonly costInput: string;
  readonly costOutput: string;
  /** What the editor does not ask for. */
  readonly unasked: Omit<RouteSpec, 'upstream' | 'model' | 'weight' | 'priority'>;
}

/** Routes as rows, those tried first at the top. */
export function rowsOf(routes: readonly RouteSpec[]): readonly RouteRow[] {
  const sorted = routes.toSorted((one, other) => (one.priority ?? 0) - (other.priority ?? 0));
  return sorted.map(({ upstream, model = '', weight = 1, priority = 0, ...unasked }, index) => {
    const above = sorted[index - 1];
    const together = above !== undefined && (above.priority ?? 0) === priority;
    const { input: costInput = '', output: costOutput = '' } = typeof unasked.cost === 'object' ? unasked.cost : {};
    return { key: index, upstream, model, weight, together, costInput, costOutput, unasked };
  });
}

/** Rows as the configuration says them: each place that is not shared is one priority further. */
export function routesOf(rows: readonly RouteRow[]): readonly RouteSpec[] {
  let priority = 0;
  return rows.map(({ upstream, model, weight, together, ...row }, index) => {
    if (index > 0 && !together) priority += 1;
    const isPlain = weight === 1 || weight === '';
    const { cost, ...unasked } = row.unasked;
    const said = costOf(row, cost);
    return {
      ...unasked,
      upstream,
      ...(model.trim() !== '' && { model: model.trim() }),
      ...(priority > 0 && { priority }),
      ...(!isPlain && { weight: Number(weight) }),
      ...(said !== undefined && { cost: said }),
    };
  });
}

/** What is typed, beside the rest of what was said before; nothing typed leaves what costs nothing as it is. */
function costOf(
  { costInput, costOutput }: Pick<RouteRow, 'costInput' | 'costOutput'>,
  before: RouteSpec['cost'],
): RouteSpec['cost'] {
  const [input, output] = [costInput.trim(), costOutput.trim()];
  if (input === '' && output === '') return before === 'free' ? before : undefined;
  return { ...(typeof before === 'object' && before), input, output };
}

/**
 * The rows with one of them elsewhere. It joins those it lands between and leaves those it came from, who stay
 * together without it.
 */
export function moved(rows: readonly RouteRow[], from: number, to: number): readonly RouteRow[] {
  const row = rows[from];
  if (!row || to < 0 || to >= rows.length || from === to) return rows;
  const rest = without(rows, from);
  const together = rest[to]?.together === true;
  return [...rest.slice(0, to), { ...row, together }, ...rest.slice(to)];
}

/** The rows without one; whoever shared its place keeps it. */
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
    { key, upstream, model: '', weight: 1, together: false, costInput: '', costOutput: '', unasked: {} },
  ];
}

/** Which rows share their place with another, so that a weight means something. */
export function isShared(rows: readonly RouteRow[], index: number): boolean {
  return rows[index]?.together === true || rows[index + 1]?.together === true;
}
