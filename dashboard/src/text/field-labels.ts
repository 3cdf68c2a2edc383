/** What a form calls the fields of the API. */
export type FieldLabels = Readonly<Record<string, string>>;

/** What the form calls a field as the gateway names it, such as `models` or `models[2]`; undefined where it has none. */
export function labelOf(field: string, labels: FieldLabels): string | undefined {
  const [, name = '', index] = /^(\w+)(?:[.[](\d+)\]?)?$/.exec(field) ?? [];
  const label = Object.hasOwn(labels, name) ? labels[name] : undefined;
  return label !== undefined && index !== undefined ? `${label} ${Number(index) + 1}` : label;
}
