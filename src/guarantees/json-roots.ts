/** The first characters that a structure of a schema may begin with: `{`, `[` or both, where the schema does not say. */
export function rootsOf({ type }: Readonly<Record<string, unknown>>): string {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (type === undefined) return '{[';
  return `${types.includes('object') ? '{' : ''}${types.includes('array') ? '[' : ''}`;
}
