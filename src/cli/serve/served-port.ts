import { engineOf } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';

const setting = 'served_port';

/** Stores the port of the gateway. Does nothing for a shared database, which has gateways on several machines. */
export async function storeServedPort(store: Store, port: number): Promise<void> {
  if (engineOf(store.db) !== 'sqlite') return;
  const value = String(port);
  await store.db
    .insertInto('settings')
    .values({ name: setting, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Replaces the port in the address with the given one, or with the port the gateway last used. */
export async function servedUrl(store: Store, url: string, givenPort?: string): Promise<string> {
  const stored = store.db.selectFrom('settings').select('value').where('name', '=', setting);
  const port = givenPort ?? (await stored.executeTakeFirst())?.value;
  return port === undefined ? url : url.replace(/\d+$/, port);
}
