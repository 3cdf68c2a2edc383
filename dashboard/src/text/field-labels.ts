/**
 * Labels of a form by the API's names of the fields. A nested field has its full path, with `[]` for a position in a list,
 * such as `routes[].weight`. `{0}` in the label is replaced by that position, counted from 1.
 */
export type FieldLabels = Readonly<Record<string, string>>;

/** Returns the label of a field such as `models[2]` or `routes[0].weight`, or undefined if the form has none. */
export function labelOf(field: string, labels: FieldLabels): string | undefined {
  const positions: number[] = [];
  const name = field.replace(/[.[](\d+)\]?(?=[.[]|$)/g, (_step, index: string) => {
    positions.push(Number(index) + 1);
    return '[]';
  });
  const labelled = (path: string) =>
    Object.hasOwn(labels, path)
      ? labels[path]?.replace(/\{(\d)\}/g, (braces, index: string) => String(positions[Number(index)] ?? braces))
      : undefined;
  const label = labelled(name);
  if (label !== undefined || !name.endsWith('[]')) return label;
  // An entry of a list has the label of the list and its position.
  const list = labelled(name.slice(0, -'[]'.length));
  return list === undefined ? undefined : `${list} ${positions.at(-1)}`;
}
