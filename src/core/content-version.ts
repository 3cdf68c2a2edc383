import { createHash } from 'node:crypto';

/** A short hash of a value. A client that changes a thing can state with it which version it has read. */
export function contentVersion(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}
