import { newApiSchema, oldKey } from './new-api-database.ts';
import type { SourceRows } from './source-tables.ts';

export { newApiSchema };

/** A new-api with one user, one token and one channel to the given provider. */
export function oneChannel(providerUrl: string): SourceRows {
  const user = {
    id: 1,
    username: 'alice',
    role: 1,
    status: 1,
    email: 'alice@example.com',
    quota: 500_000,
    group: 'default',
  };
  const token = {
    id: 1,
    user_id: 1,
    key: oldKey('walk'),
    status: 1,
    name: 'laptop',
    expired_time: -1,
    unlimited_quota: true,
  };
  const channel = {
    id: 1,
    type: 1,
    key: 'sk-provider',
    status: 1,
    name: 'main',
    base_url: providerUrl,
    models: 'gpt-4o',
  };
  return { users: [user], tokens: [token], channels: [{ ...channel, group: 'default', weight: 0, priority: 0 }] };
}
