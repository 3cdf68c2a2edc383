import { z } from 'zod';
import { engineOf } from '../store/engine.ts';
import type { Store } from '../store/store.ts';
import { type Endpoint, reading } from './endpoint.ts';

const schema = z.strictObject({
  version: z.string().describe('The value of `x-gateway-version`.'),
  engine: z.enum(['sqlite', 'postgres']).describe('What keeps the data.'),
  schema_version: z.string().describe('The last migration of the store.'),
  currency: z.string(),
});

export const systemEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/admin/v1/system',
    operationId: 'getSystem',
    summary: 'What is running here.',
    access: 'read-only',
    reply: { name: 'System', schema },
    run: async ({ parts }) => ({
      version: parts.current().version,
      engine: engineOf(parts.store.db),
      schema_version: await schemaVersion(parts.store),
      currency: parts.currency(),
    }),
  }),
];

async function schemaVersion(store: Store): Promise<string> {
  const row = await store.db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .orderBy('name', 'desc')
    .executeTakeFirst();
  return row?.name ?? '';
}
