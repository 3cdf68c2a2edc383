import type { ItemKind } from 'chat-gateway-import/findings.ts';
import { createHmac } from 'node:crypto';
import type { Kysely } from 'kysely';
import { keyDigest, type Pepper } from '../../platform/secrets/key-digest.ts';
import { openLastingSecret } from '../../money/catalog/lasting-secret.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import type { Database } from '../../platform/store/database.ts';
import { Secret } from 'chat-gateway-import/secret.ts';

/** What an earlier import made of an item. */
export interface ImportedItem {
  readonly sourceId: string;
  readonly subjectId: string;
  /** Of the item as the source had it. */
  readonly digest: string;
  /** Of the item here after the import. */
  readonly subjectDigest: string;
}

/** The rows of `import_sources` of one source. Call it inside of the transaction of the import. */
export class Provenance {
  readonly #tx: Kysely<Database>;
  readonly #source: string;
  #key = '';
  readonly #now: number;
  readonly #known = new Map<ItemKind, Map<string, ImportedItem>>();
  readonly #subjects = new Set<string>();

  constructor(tx: Kysely<Database>, parts: { readonly source: string; readonly now: number }) {
    this.#tx = tx;
    this.#source = parts.source;
    this.#now = parts.now;
  }

  /** The key of the digests outlives a rotation of the secret: otherwise every item would look changed after it. */
  async read({ pepper, vault }: { readonly pepper: Pepper; readonly vault: SecretVault }): Promise<void> {
    const made = keyDigest(pepper.founding ?? pepper, 'the digests of imports');
    this.#key = await openLastingSecret(this.#tx, vault, { name: 'import-secret', made });
    const rows = await this.#tx
      .selectFrom('import_sources')
      .selectAll()
      .where('source', '=', this.#source)
      .orderBy('source_id')
      .execute();
    for (const row of rows) {
      const { source_id: sourceId, subject_id: subjectId, digest, subject_digest: subjectDigest } = row;
      this.#take(row.kind as ItemKind, { sourceId, subjectId, digest, subjectDigest });
    }
  }

  find(kind: ItemKind, sourceId: string): ImportedItem | undefined {
    return this.#of(kind).get(sourceId);
  }

  all(kind: ItemKind): readonly ImportedItem[] {
    return [...this.#of(kind).values()];
  }

  /** Whether an import from this source made the subject, or took it over. */
  hasSubject(kind: ItemKind, subjectId: string): boolean {
    return this.#subjects.has(`${kind} ${subjectId}`);
  }

  async write(kind: ItemKind, item: ImportedItem): Promise<void> {
    const { sourceId, subjectId, digest, subjectDigest } = item;
    const changed = { subject_id: subjectId, digest, subject_digest: subjectDigest, imported_at: this.#now };
    await this.#tx
      .insertInto('import_sources')
      .values({ source: this.#source, kind, source_id: sourceId, ...changed })
      .onConflict((same) => same.columns(['source', 'kind', 'source_id']).doUpdateSet(changed))
      .execute();
    this.#take(kind, item);
  }

  /** A digest of any value. Secrets count, and the digest does not reveal them. */
  digest(value: unknown): string {
    const text = JSON.stringify(revealed(value));
    return createHmac('sha256', this.#key).update(text).digest('hex').slice(0, 32);
  }

  #take(kind: ItemKind, item: ImportedItem): void {
    this.#of(kind).set(item.sourceId, item);
    this.#subjects.add(`${kind} ${item.subjectId}`);
  }

  #of(kind: ItemKind): Map<string, ImportedItem> {
    const known = this.#known.get(kind) ?? new Map<string, ImportedItem>();
    this.#known.set(kind, known);
    return known;
  }
}

/** The value in a fixed order, with its secrets, as JSON can write it. It stays in memory. */
function revealed(value: unknown): unknown {
  if (value instanceof Secret) return ['secret', value.reveal()];
  if (typeof value === 'bigint') return ['integer', value.toString()];
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return entries.sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, each]) => [name, revealed(each)]);
}
