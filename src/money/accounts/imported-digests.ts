import type { Store } from '../../platform/store/store.ts';

/** More imported keys than this are not remembered: unknown text is then looked up in the store. */
const digestsMax = 1_000_000;
const pageRows = 10_000;
/** After more changed keys than this, all are read again. */
const changesMax = 500;

/**
 * The digests of all imported keys, shortened. Such a key can have any shape, so without them every mistyped or invented
 * key would cost a store query. A digest that is here by chance, or no longer in use, only causes a query.
 */
export class ImportedDigests {
  readonly #store: Store;
  readonly #max: number;
  #known = new Set<number>();
  /** The keys that are not read yet. */
  #unread: ReadonlySet<string> | 'all' = 'all';
  #reading: Promise<void> | undefined;

  constructor(store: Store, { max = digestsMax } = {}) {
    this.#store = store;
    this.#max = max;
  }

  /** Whether the store may hold one of the digests. True for any of them until all changed keys are read. */
  mayHold(digests: readonly string[]): boolean {
    if (this.#isRead()) return this.#has(digests);
    this.load();
    return true;
  }

  /** Whether no key is imported, so that no digest has to be calculated. */
  get isEmpty(): boolean {
    return this.#isRead() && this.#known.size === 0;
  }

  /** Reads the digests ahead of the first unknown key, which may arrive while the store is away. */
  load(): void {
    this.#read().catch(() => undefined);
  }

  /** These keys may be new. `*` means all. They are read in the background, if the others have been read. */
  changed(keyIds: readonly string[]): void {
    if (this.#unread === 'all' || keyIds.length === 0) return;
    this.#note(keyIds.includes('*') ? 'all' : new Set(keyIds));
    this.#read().catch(() => undefined);
  }

  #note(unread: ReadonlySet<string> | 'all'): void {
    if (unread === 'all' || this.#unread === 'all') this.#unread = 'all';
    else this.#unread = new Set([...this.#unread, ...unread]);
    if (this.#unread !== 'all' && this.#unread.size > changesMax) this.#unread = 'all';
  }

  #isRead(): boolean {
    return this.#reading === undefined && !this.#hasUnread();
  }

  #hasUnread(): boolean {
    return this.#unread === 'all' || this.#unread.size > 0;
  }

  #has(digests: readonly string[]): boolean {
    return this.#known.size > this.#max || digests.some((digest) => this.#known.has(shortened(digest)));
  }

  /** Reads until nothing is unread. Changes during a read are read after it. */
  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    while (this.#hasUnread()) {
      const unread = this.#unread;
      this.#unread = new Set();
      try {
        if (unread === 'all') this.#known = await this.#everything();
        else await addDigests(this.#known, importedKeys(this.#store).where('id', 'in', [...unread]));
      } catch (error) {
        this.#note(unread);
        throw error;
      }
    }
  }

  async #everything(): Promise<Set<number>> {
    const known = new Set<number>();
    for (let after: string | undefined = ''; after !== undefined && known.size <= this.#max; ) {
      const page = importedKeys(this.#store).where('id', '>', after).orderBy('id').limit(pageRows);
      after = await addDigests(known, page);
    }
    return known;
  }
}

function importedKeys({ db }: Store) {
  return db.selectFrom('api_keys').select(['id', 'digest']).where('scheme', 'is not', null);
}

/** Returns the last id if the page is full. */
async function addDigests(known: Set<number>, query: ReturnType<typeof importedKeys>): Promise<string | undefined> {
  const rows = await query.execute();
  for (const { digest } of rows) known.add(shortened(digest));
  return rows.length === pageRows ? rows.at(-1)?.id : undefined;
}

/** A small integer, so that a million of them need little memory. */
function shortened(digest: string): number {
  return Number.parseInt(digest.slice(0, 8), 16) | 0;
}
