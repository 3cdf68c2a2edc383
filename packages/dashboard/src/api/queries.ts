import { type QueryClient, useInfiniteQuery, useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useOwnerOf } from './account.tsx';
import { isBelow } from './adopt-reply.ts';
import type { ApiError } from './api-error.ts';
import { call, type Query } from './call.ts';
import type { Resource } from './resource.ts';
import { useSession } from './session.ts';

/** The query key of a path. `refresh` matches it by its path. */
export function readKey(path: string, owner: string | undefined, query: Query = {}): readonly unknown[] {
  return [path, owner, query];
}

/** Marks everything read from these paths, or from below them, as stale. */
export async function refresh(client: QueryClient, ...paths: readonly string[]): Promise<void> {
  await client.invalidateQueries({ predicate: ({ queryKey }) => isBelow(queryKey, paths) });
}

/** One page of a list. `next` is the cursor of the next page. */
export interface Page<Row> {
  readonly data: readonly Row[];
  readonly next: string | null;
}

interface ReadOptions<Reply> extends Pick<UseQueryOptions<Reply, ApiError>, 'refetchInterval' | 'placeholderData'> {
  readonly enabled?: boolean;
  /** Reads the rows of this account instead of the chosen one. */
  readonly account?: string;
  readonly staleTime?: number;
}

/**
 * Reads a document, and reads it again periodically while the page shows it. Paths of `/account/v1` are read for the
 * chosen account or organisation.
 */
export function useRead<Reply>(path: string, query: Query = {}, options: ReadOptions<Reply> = {}) {
  const chosen = useOwnerOf()(path);
  const isOpen = useIsOpen();
  const { enabled = true, staleTime, account: owner = chosen, ...rest } = options;
  return useQuery<Reply, ApiError>({
    queryKey: readKey(path, owner, query),
    queryFn: ({ signal }) => call<Reply>(path, { query, owner, signal }),
    refetchInterval: refetchIntervalOf(staleTime),
    ...rest,
    ...(staleTime !== undefined && { staleTime }),
    enabled: enabled && isOpen,
  });
}

/** Whether reads are enabled. After the session has ended, every read would fail until the user signs in again. */
export function useIsOpen(): boolean {
  return useSession().hasEnded !== true;
}

function refetchIntervalOf(staleTime = 0): number | false {
  return Number.isFinite(staleTime) && Math.max(refetchMs, staleTime);
}

/** A list as tables use it: the rows so far, and how to load the next page. */
export interface Pages<Row> {
  /** Undefined until the first page has loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

/** A list with its page count and the time of the last read. */
export interface ReadPages<Row, Read = Page<Row>> extends Pages<Row> {
  /** The number of loaded pages. */
  readonly count: number;
  readonly updatedAt: number | undefined;
  /** The last page, with its members besides the rows. */
  readonly last: Read | undefined;
}

/** The greatest age of figures, and of the first page of a list, while a page shows them. */
export const refetchMs = 30_000;

/**
 * Reads a list page by page, and the first page again periodically. `everyMs` may depend on the rows. `Read` is a page
 * type with more members than its rows.
 */
export function usePages<Row, Read extends Page<Row> = Page<Row>>(
  path: string,
  query: Query = {},
  everyMs: number | ((rows: readonly Row[]) => number) = refetchMs,
): ReadPages<Row, Read> {
  const owner = useOwnerOf()(path);
  const isOpen = useIsOpen();
  const { data, dataUpdatedAt, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: readKey(path, owner, { ...query, pages: true }),
    queryFn: ({ signal, pageParam }) =>
      call<Read>(path, { query: { limit: 50, ...query, cursor: pageParam }, owner, signal }),
    enabled: isOpen,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // A user who opened more pages is reading them, and a refetch would request all of them again.
    refetchInterval: ({ state: { data: read } }) => {
      if (read?.pages.length !== 1) return false;
      return typeof everyMs === 'number' ? everyMs : everyMs(read.pages.flatMap((page) => page.data));
    },
  });
  return {
    rows: data?.pages.flatMap((page) => page.data),
    error: error as ApiError | null,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    loadMore: () => void fetchNextPage(),
    count: data?.pages.length ?? 0,
    updatedAt: data && dataUpdatedAt,
    last: data?.pages.at(-1),
    retry: () => void refetch(),
  };
}

/** Wraps rows that are already complete, for a table without paging. */
export function asPages<Row>(read: {
  readonly data: readonly Row[] | undefined;
  readonly error?: ApiError | null;
  refetch?: () => unknown;
}): Pages<Row> {
  return {
    rows: read.data,
    error: read.error ?? null,
    hasMore: false,
    isLoadingMore: false,
    loadMore: () => {},
    retry: () => void read.refetch?.(),
  };
}

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

/** The names of all configuration entries of a kind. Undefined while loading. */
export function useEntryNames(kind: 'packages' | 'sites' | 'models', enabled = true): string[] | undefined {
  const { data } = useRead<Page<Resource>>(`/admin/v1/${kind}`, { limit: 200 }, { enabled });
  return data?.data.map(({ name }) => name);
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
