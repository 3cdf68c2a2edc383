import { createHash } from 'node:crypto';

/**
 * A short name of what something says: as long as it stays, so does the name. Whoever changes a thing can thereby say
 * which state of it they have seen, also beside processes that know nothing of versions.
 */
export function contentVersion(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);
}
