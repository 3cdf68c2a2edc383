import type { Page } from '../../api/page.ts';
import type { Key } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import type { Scope } from './scope.ts';

/** What the keys of an account are called, or of all; as many as one page of them has, the others keep their ids. */
export function useKeyNames({ isOperator }: Scope, account?: string): ReadonlyMap<string, string> {
  const path = isOperator ? '/admin/v1/keys' : '/account/v1/keys';
  const { data } = useRead<Page<Key>>(
    path,
    { limit: 200, order: 'newest', passing: 'true', account },
    { staleTime: 60_000 },
  );
  return new Map((data?.data ?? []).map(({ id, name }) => [id, name]));
}
