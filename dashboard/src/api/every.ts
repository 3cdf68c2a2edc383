import { useQuery } from '@tanstack/react-query';
import type { ApiError } from './api-error.ts';
import { call } from './call.ts';
import type { Page } from './page.ts';
import { refetchMs, useIsOpen } from './queries.ts';

/** Far more entries than an operator writes. The limit keeps an endless list from hanging the page. */
const pagesMax = 50;

/** Reads all pages of an operator's list, for callers that search or join it in the browser. */
export function useAllRows<Row>(path: string, enabled = true) {
  const isOpen = useIsOpen();
  return useQuery<readonly Row[], ApiError>({
    queryKey: [path, 'every'],
    queryFn: ({ signal }) => everyRow<Row>(path, signal),
    refetchInterval: refetchMs,
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
