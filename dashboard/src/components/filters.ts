import { useNavigate, useSearch } from '@tanstack/react-router';

/** Values kept in the address, so that a view can be linked to and the back button undoes a choice. */
export function useFilters<Name extends string>(
  names: readonly Name[],
): readonly [Readonly<Partial<Record<Name, string>>>, (change: Partial<Record<Name, string | undefined>>) => void] {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const values: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (value !== undefined && value !== '') values[name] = value;
  }
  const change = (changed: Partial<Record<Name, string | undefined>>) => {
    void navigate({ to: '.', search: { ...search, ...changed }, replace: true });
  };
  return [values, change];
}
