import type { Kysely } from 'kysely';
import type { Config } from '../../../platform/config/config.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { Database } from '../../../platform/store/database.ts';
import { noFailures } from '../delivery.ts';
import { kindsText, removeWebhookEndpoint } from './webhook-endpoints.ts';

type FileEndpoint = Config['webhooks']['endpoints'][number];

/**
 * Writes the webhook endpoints of the configuration file to the store, in the transaction that applies the file. Their
 * secrets stay in the file. If the address or the events of an endpoint change, its failures are reset. If an endpoint
 * is no longer in the file, it is deleted with its log.
 */
export async function applyFileEndpoints(
  db: Kysely<Database>,
  endpoints: readonly FileEndpoint[],
  clock: Clock,
): Promise<void> {
  const stored = await db.selectFrom('delivery_endpoints').selectAll().where('source', '=', 'file').execute();
  const configured = new Map(endpoints.map((endpoint) => [fileEndpointId(endpoint.name), endpoint]));
  for (const { id } of stored) if (!configured.has(id)) await removeWebhookEndpoint(db, id);
  for (const [id, { name, url, events }] of configured) {
    const kinds = kindsText(events);
    const before = stored.find((row) => row.id === id);
    if (before && before.url === url && before.kinds === kinds) continue;
    await db
      .insertInto('delivery_endpoints')
      .values({ id, channel: 'webhook', name, url, kinds, status: 'on', source: 'file', created_at: clock.now() })
      .onConflict((row) => row.column('id').doUpdateSet({ url, kinds, status: 'on', ...noFailures }))
      .execute();
  }
}

export function fileEndpointId(name: string): string {
  return `whk_file_${name}`;
}
