import { useDebouncedState } from '@mantine/hooks';
import type { Query } from '../../api/call.ts';
import type { Key } from '../../api/wire.ts';
import { type Page, useRead } from '../../api/queries.ts';
import type { Scope } from './scope.ts';

const keysMax = 200;

/** The newest keys, and, if there are more, the keys whose name contains the typed text. */
export function useKeyChoice({ isOperator }: Scope, account: string | undefined) {
  const [typed, setTyped] = useDebouncedState('', 300);
  const newest = useNames(isOperator, { account });
  const found = useNames(isOperator, { account, q: typed }, newest.size >= keysMax && typed !== '');
  const names = new Map([...newest, ...found]);
  const search = (text: string) => {
    const query = text.trim().slice(0, 64);
    // The field also reports the name of the chosen key; that is not a search.
    if (![...names.values()].includes(query)) setTyped(query);
  };
  return { names, search };
}

function useNames(isOperator: boolean, part: Query, enabled = true): ReadonlyMap<string, string> {
  const path = isOperator ? '/admin/v1/keys' : '/account/v1/keys';
  const query = { limit: keysMax, order: 'newest', temporary: 'true', ...part };
  const { data } = useRead<Page<Key>>(path, query, { staleTime: 60_000, enabled });
  return new Map((data?.data ?? []).map(({ id, name }) => [id, name]));
}
