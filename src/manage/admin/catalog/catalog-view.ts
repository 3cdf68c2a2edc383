import { z } from 'zod';
import { keyState } from '../../../money/accounts/keys.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { callSums } from '../../../money/requests/rollups/call-sums.ts';
import type { Store } from '../../../platform/store/store.ts';
import { accountAt } from '../accounts/accounts.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { keyAt } from '../keys/key-documents.ts';
import { callsDocument, callsSchema } from './model-documents.ts';
import { documentAs, idSchema } from '../api/wire.ts';

const modelSchema = z.strictObject({
  id: z.string(),
  aliases: z.array(z.string()),
  owned_by: z.string(),
  surfaces: z.array(z.string()),
  tool_calls: callsSchema,
});

const schema = z.strictObject({
  site: z.string().nullable().describe('The site of the domain. Null if there is none.'),
  key_state: z.enum(['active', 'expired', 'revoked', 'suspended']).describe('Requests get 401 unless it is `active`.'),
  models: z.array(modelSchema).describe('The models that `GET /v1/models` would list.'),
});

export const catalogEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/catalog', 'viewCatalog', 'read-only', {
    summary: 'List the models that a key can use on a domain.',
    query: z.strictObject({
      key: idSchema.describe('Id of the key.'),
      domain: z.string().min(1).max(260).describe('As in the `Host` header.'),
    }),
    reply: { name: 'CatalogView', schema },
    run: async ({ parts, query }) => {
      const key = await keyAt(parts, query.key);
      const account = await accountAt(parts, key.accountId);
      const { catalog } = parts.current();
      const site = catalog.siteFor(query.domain);
      const { id: accountId, name: accountName, packageName } = account;
      const { id: keyId, name: keyName, models } = key;
      const holder = { keyId, keyName, accountId, accountName, packageName, models };
      const state = account.status === 'suspended' ? account.status : keyState(key, parts.clock.now());
      return {
        site: site ?? null,
        key_state: state,
        models:
          state === 'active' ? await documents(parts.store, catalog.visible({ key: holder, site: site ?? '' })) : [],
      };
    },
  }),
];

async function documents(store: Store, models: readonly Model[]): Promise<z.input<typeof modelSchema>[]> {
  const calls = await callSums(store);
  return models.map((model) => {
    return documentAs(modelSchema.shape, { ...model, toolCalls: callsDocument(calls.get(model.id)) });
  });
}
