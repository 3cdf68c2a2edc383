import type { QueryClient } from '@tanstack/react-query';

interface WriteResult {
  readonly path: string;
  readonly reply: unknown;
  /** The paths that are read again after the write. */
  readonly changes: readonly string[];
}

interface Document {
  readonly version: string;
  readonly id?: unknown;
  readonly kind?: unknown;
  readonly name?: unknown;
}

/**
 * Replaces the cached document with the reply of a write. Without this, a second write before the next read would send
 * the old version. The gateway would reject it as a conflict, although no other user wrote.
 */
export function adoptReply(client: QueryClient, { path, reply, changes }: WriteResult): void {
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

/** Whether the query reads one of these paths, or a path below one. */
export function isBelow([path]: readonly unknown[], paths: readonly string[]): boolean {
  return typeof path === 'string' && paths.some((changed) => path === changed || path.startsWith(`${changed}/`));
}

/**
 * Takes a document, a page of documents, or all pages of a list. Replaces only fields that were read before: a reply
 * may contain a secret.
 */
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

/** A configuration entry is identified by kind and name, every other document by its id. */
function isSame(one: Document, other: Document): boolean {
  if (one.id !== undefined) return one.id === other.id;
  return one.kind !== undefined && one.kind === other.kind && one.name === other.name;
}
