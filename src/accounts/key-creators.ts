import type { Store } from '../store/store.ts';

/** The actions in the audit log that create a key. */
const createActions = ['createKey', 'createOwnKey'];
/** Maximum number of replaced keys to follow back to the creator of the first. */
const replacementsMax = 20;

/**
 * The creator of each key, as the audit log names the actor. A rotated key belongs to the creator of the first key.
 * Keys of the configuration file are left out.
 */
export async function keyCreators(store: Store, keyIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const creators = new Map<string, string>();
  let open = new Map(keyIds.map((id) => [id, id]));
  for (let replacements = 0; open.size > 0 && replacements <= replacementsMax; replacements += 1) {
    const creatorsByKey = await creatorsOf(store, [...open.values()]);
    for (const [id, first] of open) {
      const creator = creatorsByKey.get(first);
      if (creator !== undefined) creators.set(id, creator);
    }
    const left = [...open].filter(([id]) => !creators.has(id));
    const firsts = left.map(([, first]) => first);
    const replaced = await replacedBy(store, firsts);
    open = new Map(
      left.flatMap(([id, first]) => {
        const before = replaced.get(first);
        return before === undefined ? [] : [[id, before] as const];
      }),
    );
  }
  return creators;
}

/** Only this many keys of an account are considered, the newest ones. */
const keysMax = 5000;

/** The keys of an account with this creator, as `keyCreators` names it. */
export async function keysCreatedBy(store: Store, accountId: string, creator: string): Promise<readonly string[]> {
  const keys = store.db.selectFrom('api_keys').select('id').where('account_id', '=', accountId);
  const ids = (await keys.orderBy('created_at', 'desc').limit(keysMax).execute()).map(({ id }) => id);
  const creatorsByKey = await keyCreators(store, ids);
  return ids.filter((id) => creatorsByKey.get(id) === creator);
}

async function creatorsOf({ db }: Store, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('audit')
    .select(['subject_id', 'actor'])
    .where('subject_kind', '=', 'key')
    .where('subject_id', 'in', [...ids])
    .where('action', 'in', createActions)
    .execute();
  return new Map(rows.map(({ subject_id: id, actor }) => [id, actor]));
}

async function replacedBy({ db }: Store, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'rotated_from'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.flatMap(({ id, rotated_from: before }) => (before === null ? [] : [[id, before] as const])));
}
