import { useMemo } from 'react';
import type { Page } from '../../api/page.ts';
import type { Key } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';

/** What the keys are called, by id; of an account with very many keys, the newest of them. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data } = useRead<Page<Key>>('/account/v1/keys', { limit: 200, order: 'newest', passing: 'true' });
  return useMemo(() => new Map(data?.data.map(({ id, name }) => [id, name])), [data]);
}
