import { engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';

const setting = 'served_port';

/** Notes at which port the gateway of an embedded store was last served; a shared database has gateways on many machines. */
export async function noteServedPort(store: Store, port: number): Promise<void> {
  if (engineOf(store.db) !== 'sqlite') return;
  const value = String(port);
  await store.db
    .insertInto('settings')
    .values({ name: setting, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** The address with the port that is said, or else the one the gateway was last served at. */
export async function servedUrl(store: Store, url: string, said?: string): Promise<string> {
  const noted = store.db.selectFrom('settings').select('value').where('name', '=', setting);
  const port = said ?? (await noted.executeTakeFirst())?.value;
  return port === undefined ? url : url.replace(/\d+$/, port);
}
