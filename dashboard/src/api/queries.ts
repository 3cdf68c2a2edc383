import {
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
} from '@tanstack/react-query';
import { useState } from 'react';
import { useAccountChoice } from './account.tsx';
import { ApiError } from './api-error.ts';
import { call, type CallOptions, type Query } from './call.ts';
import type { Page } from './page.ts';
import { intents } from './intents.ts';
import { joinable } from './joinable.ts';

/** The key of what is read from a path: all that starts with the path is asked again when it has changed. */
export function readKey(path: string, account: string | undefined, query: Query = {}): readonly unknown[] {
  return [path, account, query];
}

/** Marks what was read from these paths, and from below them, as out of date. */
export async function refresh(client: QueryClient, ...paths: readonly string[]): Promise<void> {
  await client.invalidateQueries({
    predicate: ({ queryKey: [path] }) =>
      typeof path === 'string' && paths.some((changed) => path === changed || path.startsWith(`${changed}/`)),
  });
}

type ReadOptions<Reply> = Pick<
  UseQueryOptions<Reply, ApiError>,
  'enabled' | 'refetchInterval' | 'staleTime' | 'placeholderData'
>;

/** Reads a document. Paths of `/account/v1` are asked for the chosen account. */
export function useRead<Reply>(path: string, query: Query = {}, options: ReadOptions<Reply> = {}) {
  const account = useAccountFor(path);
  return useQuery<Reply, ApiError>({
    queryKey: readKey(path, account, query),
    queryFn: ({ signal }) => call<Reply>(path, { query, account, signal }),
    ...options,
  });
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
  const { data, dataUpdatedAt, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: readKey(path, account, { ...query, pages: true }),
    queryFn: ({ signal, pageParam }) =>
      call<Read>(path, { query: { limit: 50, ...query, cursor: pageParam }, account, signal }),
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

export interface Write<Body> {
  readonly method?: CallOptions['method'];
  /** The path, or how the body names it. */
  readonly path: string | ((body: Body) => string);
  /** What is sent for what the caller gives, made once for each intent; the same if left out. */
  readonly send?: (body: Body) => unknown;
  /** The version that was seen of what is changed. */
  readonly ifMatch?: (body: Body) => string | undefined;
  /** What has to be read again afterwards. */
  readonly changes?: readonly string[];
}

/** Dialogs stay open while they write, so no write may take for ever. One without an answer is sent again as the same. */
const writeMsMax = 60_000;

/** A write that happens once, however often it has to be tried; what it changes is then read again. */
export function useWrite<Reply = unknown, Body = void>(write: Write<Body>) {
  const client = useQueryClient();
  const { account } = useAccountChoice();
  const [open] = useState(() => intents());
  const [underWay] = useState(() => joinable<Reply>());
  return useMutation<Reply, ApiError, Body>({
    mutationFn: (body) => {
      const path = typeof write.path === 'string' ? write.path : write.path(body);
      const method = write.method ?? 'POST';
      const owner = belongsToAccount(path) ? account?.id : undefined;
      const name = JSON.stringify([method, path, owner, body]);
      return underWay.join(name, async () => {
        const { idempotencyKey, body: sent } = open.begin(name, () => (write.send ? write.send(body) : body));
        const ifMatch = write.ifMatch?.(body);
        const signal = AbortSignal.timeout(writeMsMax);
        const options = {
          method,
          account: owner,
          idempotencyKey,
          ifMatch,
          signal,
          ...(sent !== undefined && { body: sent }),
        };
        try {
          const reply = await call<Reply>(path, options);
          open.end(name);
          return reply;
        } catch (error) {
          if (error instanceof ApiError && isAnswer(error)) open.end(name);
          throw error;
        }
      });
    },
    // Not waited for: who wrote is told at once, however long it takes to read everything again.
    onSuccess: () => void refresh(client, ...(write.changes ?? [])),
  });
}

/** Whether it is known that nothing was written; behind no answer, or one of a server in trouble, anything may be. */
function isAnswer({ status }: ApiError): boolean {
  return status >= 400 && status < 500;
}

function useAccountFor(path: string): string | undefined {
  const { account } = useAccountChoice();
  return belongsToAccount(path) ? account?.id : undefined;
}

function belongsToAccount(path: string): boolean {
  return path.startsWith('/account/');
}
