import { type QueryClient, useInfiniteQuery, useQuery, type UseQueryOptions } from '@tanstack/react-query';
import { useAccountChoice } from './account.tsx';
import { isBelow } from './adopt-reply.ts';
import type { ApiError } from './api-error.ts';
import { call, type Query } from './call.ts';
import type { Page } from './page.ts';
import { useSession } from './session.ts';

/** The key of what is read from a path: all that starts with the path is asked again when it has changed. */
export function readKey(path: string, account: string | undefined, query: Query = {}): readonly unknown[] {
  return [path, account, query];
}

/** Marks what was read from these paths, and from below them, as out of date. */
export async function refresh(client: QueryClient, ...paths: readonly string[]): Promise<void> {
  await client.invalidateQueries({ predicate: ({ queryKey }) => isBelow(queryKey, paths) });
}

interface ReadOptions<Reply> extends Pick<UseQueryOptions<Reply, ApiError>, 'refetchInterval' | 'placeholderData'> {
  readonly enabled?: boolean;
  /** Whose rows are asked for, whichever account is chosen. */
  readonly account?: string;
  /** For how long nobody has to ask again. */
  readonly staleTime?: number;
}

/**
 * Reads a document, and reads it anew while it is looked at: a page is as old as the oldest of what it shows. Paths of
 * `/account/v1` are asked for the chosen account.
 */
export function useRead<Reply>(path: string, query: Query = {}, options: ReadOptions<Reply> = {}) {
  const chosen = useAccountFor(path);
  const isOpen = useIsOpen();
  const { enabled = true, staleTime, account = chosen, ...rest } = options;
  return useQuery<Reply, ApiError>({
    queryKey: readKey(path, account, query),
    queryFn: ({ signal }) => call<Reply>(path, { query, account, signal }),
    refetchInterval: anewAfter(staleTime),
    ...rest,
    ...(staleTime !== undefined && { staleTime }),
    enabled: enabled && isOpen,
  });
}

/** Whether anything may be read: once the session has ended every answer would be that, until somebody signs in again. */
export function useIsOpen(): boolean {
  return useSession().hasEnded !== true;
}

function anewAfter(staleTime = 0): number | false {
  return Number.isFinite(staleTime) && Math.max(lookedAtMs, staleTime);
}

/** A list as tables show it: the rows so far, and the way to the next page. */
export interface Pages<Row> {
  /** Undefined until the first page is here. */
  readonly rows: readonly Row[] | undefined;
  readonly error: ApiError | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

/** A list as it is read, with how far and how old it is. */
export interface ReadPages<Row, Read = Page<Row>> extends Pages<Row> {
  /** How many pages are here. */
  readonly count: number;
  /** When they were read. */
  readonly updatedAt: number | undefined;
  /** What the last page said beside its rows. */
  readonly last: Read | undefined;
}

/** How old figures, and the first page of a list, may become while they are looked at. */
export const lookedAtMs = 30_000;

/**
 * Reads a list page by page, and the first of them anew after a while, which may depend on what is in it. `Read` is a
 * page that says more than its rows.
 */
export function usePages<Row, Read extends Page<Row> = Page<Row>>(
  path: string,
  query: Query = {},
  everyMs: number | ((rows: readonly Row[]) => number) = lookedAtMs,
): ReadPages<Row, Read> {
  const account = useAccountFor(path);
  const isOpen = useIsOpen();
  const { data, dataUpdatedAt, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: readKey(path, account, { ...query, pages: true }),
    queryFn: ({ signal, pageParam }) =>
      call<Read>(path, { query: { limit: 50, ...query, cursor: pageParam }, account, signal }),
    enabled: isOpen,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    // Whoever has opened more pages reads in them, and all of them would have to be asked for again.
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

/** Rows that are all here, for a table that has no pages. */
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

function useAccountFor(path: string): string | undefined {
  const { account } = useAccountChoice();
  return belongsToAccount(path) ? account?.id : undefined;
}

/** Whether whose rows it is about has to be said. */
export function belongsToAccount(path: string): boolean {
  return path.startsWith('/account/');
}
