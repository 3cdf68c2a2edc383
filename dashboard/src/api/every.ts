import { useQuery } from '@tanstack/react-query';
import type { ApiError } from './api-error.ts';
import { call } from './call.ts';
import type { Page } from './page.ts';
import { lookedAtMs, useIsOpen } from './queries.ts';

/** Far more entries than an operator writes; a list that never ends must not hang the page. */
const pagesMax = 50;

/** A whole list of operators' entries, page after page, for what searches and joins it here. */
export function useEvery<Row>(path: string, enabled = true) {
  const isOpen = useIsOpen();
  return useQuery<readonly Row[], ApiError>({
    queryKey: [path, 'every'],
    queryFn: ({ signal }) => everyRow<Row>(path, signal),
    refetchInterval: lookedAtMs,
    enabled: enabled && isOpen,
  });
}

async function everyRow<Row>(path: string, signal: AbortSignal): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < pagesMax; count += 1) {
    const { data, next } = await call<Page<Row>>(path, { query: { limit: 200, cursor }, signal });
    rows.push(...data);
    if (next === null) break;
    cursor = next;
  }
  return rows;
}
