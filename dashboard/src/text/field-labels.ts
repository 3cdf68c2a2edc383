/**
 * What a form calls the fields of the API. One inside another goes by its whole name, with `[]` for a place in a list, as
 * in `routes[].weight`; `{0}` in its label is that place, counted from 1.
 */
export type FieldLabels = Readonly<Record<string, string>>;

/** What the form calls a field as the gateway names it, such as `models[2]` or `routes[0].weight`; undefined where it has none. */
export function labelOf(field: string, labels: FieldLabels): string | undefined {
  const places: number[] = [];
  const name = field.replace(/[.[](\d+)\]?(?=[.[]|$)/g, (_step, index: string) => {
    places.push(Number(index) + 1);
    return '[]';
  });
  const labelled = (wanted: string) =>
    Object.hasOwn(labels, wanted)
      ? labels[wanted]?.replace(/\{(\d)\}/g, (braces, index: string) => String(places[Number(index)] ?? braces))
      : undefined;
  const label = labelled(name);
  if (label !== undefined || !name.endsWith('[]')) return label;
  // An entry of a list goes by the name of the list.
  const list = labelled(name.slice(0, -'[]'.length));
  return list === undefined ? undefined : `${list} ${places.at(-1)}`;
}
