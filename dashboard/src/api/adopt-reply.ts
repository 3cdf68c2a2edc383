import type { QueryClient } from '@tanstack/react-query';

/** What was written, where, and how it is now. */
interface Written {
  readonly path: string;
  readonly reply: unknown;
  /** What is read again because of it. */
  readonly changes: readonly string[];
}

interface Document {
  readonly version: string;
  readonly id?: unknown;
  readonly kind?: unknown;
  readonly name?: unknown;
}

/**
 * Puts what a write answered in the place of what was read before. Until it is read again, whoever writes once more
 * would otherwise name the version that their own write has ended, and be told that somebody else was faster.
 */
export function adoptReply(client: QueryClient, { path, reply, changes }: Written): void {
  if (!isDocument(reply)) return;
  for (const { queryKey, state } of client
    .getQueryCache()
    .findAll({ predicate: ({ queryKey: key }) => isBelow(key, changes) })) {
    const isItself = queryKey[0] === path;
    client.setQueryData(queryKey, (data: unknown) => withReply(data, reply, isItself), {
      updatedAt: state.dataUpdatedAt,
    });
  }
}

/** Whether something was read from one of these paths, or from below it. */
export function isBelow([path]: readonly unknown[], paths: readonly string[]): boolean {
  return typeof path === 'string' && paths.some((changed) => path === changed || path.startsWith(`${changed}/`));
}

/** A document, a page of them, or all the pages of a list. Only what was read is replaced: a reply may hold a secret. */
export function withReply(data: unknown, reply: Document, isItself: boolean): unknown {
  if (Array.isArray(data)) return data.map((each) => withReply(each, reply, false));
  if (typeof data !== 'object' || data === null) return data;
  if (isDocument(data) && (isItself || isSame(data, reply))) {
    const known = Object.entries(reply).filter(([field]) => Object.hasOwn(data, field));
    return { ...data, ...Object.fromEntries(known) };
  }
  const { data: rows, pages } = data as { data?: unknown; pages?: unknown };
  if (Array.isArray(rows)) return { ...data, data: withReply(rows, reply, false) };
  if (Array.isArray(pages)) return { ...data, pages: withReply(pages, reply, false) };
  return data;
}

function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Document>).version === 'string';
}

/** Entries of the configuration are known by their names, everything else by its id. */
function isSame(one: Document, other: Document): boolean {
  if (one.id !== undefined) return one.id === other.id;
  return one.kind !== undefined && one.kind === other.kind && one.name === other.name;
}
