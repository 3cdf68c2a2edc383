/** The same shape with camelCase names. The configuration file uses snake_case. */
export type CamelCased<T> = T extends readonly (infer Element)[]
  ? readonly CamelCased<Element>[]
  : T extends object
    ? { readonly [Name in keyof T as Name extends string ? CamelCasedName<Name> : Name]: CamelCased<T[Name]> }
    : T;

type CamelCasedName<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCasedName<Tail>>}`
  : Name;

export function camelCased<T>(value: T): CamelCased<T> {
  return renamed(value) as CamelCased<T>;
}

function renamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renamed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camelCasedName(name), renamed(inner)]));
}

function camelCasedName(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
