/** An entry of a list in the file, with its path. The value is an object, and not checked further. */
export interface SectionEntry {
  readonly path: readonly (string | number)[];
  readonly value: Readonly<Record<string, unknown>>;
}

/** The entries of a section that are objects. The schema reports the others. */
export function entries(data: unknown, section: string): readonly SectionEntry[] {
  return entriesOf({ path: [], value: isRecord(data) ? data : {} }, section);
}

export function entriesOf(parent: SectionEntry, field: string): readonly SectionEntry[] {
  const list = parent.value[field];
  if (!Array.isArray(list)) return [];
  return list.flatMap((value, index) => (isRecord(value) ? [{ path: [...parent.path, field, index], value }] : []));
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
