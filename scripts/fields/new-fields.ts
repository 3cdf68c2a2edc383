import type { FieldTable } from '../../packages/formats/src/fields-that-cost.ts';

/** The fields of a type that a table does not know. A field inside a new field is not listed. */
export function newFields(fields: Iterable<string>, table: FieldTable): readonly string[] {
  const known = new Set(Object.values(table).flatMap((words) => words.trim().split(/\s+/)));
  const opened = new Set([...known].flatMap(ancestorsOf));
  const isListed = (path: string): boolean => known.has(path) || (path.includes('.') && known.has(`*.${nameOf(path)}`));
  const covers = (path: string): boolean => isListed(path) && !opened.has(path);
  const found = [...fields].filter((path) => !isListed(path) && !opened.has(path) && !ancestorsOf(path).some(covers));
  return found.filter((path) => !ancestorsOf(path).some((above) => found.includes(above)));
}

/** `a[].b.c` is inside `a[].b`, `a[]` and `a`. */
function ancestorsOf(path: string): readonly string[] {
  return [...path.matchAll(/\[|\./g)].map(({ index }) => path.slice(0, index));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
