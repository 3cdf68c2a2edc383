/**
 * Returns the characters with which a structure of a schema may begin: `{`, `[`, or both if the schema states no type.
 */
export function rootsOf({ type }: Readonly<Record<string, unknown>>): string {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (type === undefined) return '{[';
  return `${types.includes('object') ? '{' : ''}${types.includes('array') ? '[' : ''}`;
}
