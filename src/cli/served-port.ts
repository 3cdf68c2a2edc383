import { engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';

const setting = 'served_port';

/** Stores the port of the gateway. Does nothing for a shared database, which has gateways on several machines. */
export async function noteServedPort(store: Store, port: number): Promise<void> {
  if (engineOf(store.db) !== 'sqlite') return;
  const value = String(port);
  await store.db
    .insertInto('settings')
    .values({ name: setting, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Replaces the port in the address with the given one, or with the port the gateway last used. */
export async function servedUrl(store: Store, url: string, said?: string): Promise<string> {
  const noted = store.db.selectFrom('settings').select('value').where('name', '=', setting);
  const port = said ?? (await noted.executeTakeFirst())?.value;
  return port === undefined ? url : url.replace(/\d+$/, port);
}
