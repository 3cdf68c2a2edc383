import { useNavigate, useSearch } from '@tanstack/react-router';

/** Changes query parameters. `as: 'step'` adds a history entry, for dialogs: the back button closes them. */
type ChangeFilters<Name extends string> = (
  change: Partial<Record<Name, string | undefined>>,
  options?: { readonly as: 'step' },
) => void;

/** Values in the query string, so that users can link to a view. */
export function useFilters<Name extends string>(
  names: readonly Name[],
): readonly [Readonly<Partial<Record<Name, string>>>, ChangeFilters<Name>] {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const values: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (value !== undefined && value !== '') values[name] = value;
  }
  const change: ChangeFilters<Name> = (changed, options) => {
    void navigate({ to: '.', search: { ...search, ...changed }, replace: options?.as !== 'step' });
  };
  return [values, change];
}

/**
 * The open dialog of a page, in the URL as `?open=`: a link or the palette can open it, and the back button closes it.
 * Returns undefined for a name that is not in the list.
 */
export function useOpenDialog<Name extends string>(
  names: readonly Name[],
): readonly [Name | undefined, (name: Name | undefined) => void] {
  const [{ open }, change] = useFilters(['open']);
  const show = (name: Name | undefined) => change({ open: name }, name === undefined ? undefined : { as: 'step' });
  return [names.find((name) => name === open), show];
}
