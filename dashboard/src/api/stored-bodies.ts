import { useRead } from './queries.ts';
import type { StoredBodies } from './wire.ts';

/** Whether and how request bodies are stored, and how many are: of the chosen account, or of all accounts. */
export function useStoredBodies(isOperator: boolean) {
  const path = isOperator ? '/admin/v1/stored-bodies' : '/account/v1/stored-bodies';
  return useRead<StoredBodies>(path, {}, { staleTime: 60_000 });
}
