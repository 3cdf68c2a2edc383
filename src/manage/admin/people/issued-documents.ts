import { z } from 'zod';
import type { AdminParts } from '../parts.ts';

const issuedSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  account_id: z.string().nullable().describe('Null: a webhook endpoint of the operators.'),
});

/** What a user who loses a role issued and still works. The reply to the removal has it. */
export const issuedFields = {
  known_keys: z
    .array(issuedSchema)
    .describe(
      'Active keys whose secret the user received, and which do not count for the user. Rotate or revoke them.',
    ),
  known_webhooks: z
    .array(issuedSchema)
    .describe('Webhook endpoints that the user created or changed, or whose secret the user received.'),
};

export const issuedEntry = { name: 'IssuedItem', schema: issuedSchema };

type Issued = z.output<z.ZodObject<typeof issuedFields>>;

const listedMax = 10_000;

/** The keys and webhook endpoints that a user issued, by the audit log: in these accounts, or as an operator. */
export async function issuedBy(
  parts: AdminParts,
  email: string,
  where: { readonly accountIds: readonly string[] } | 'operators',
): Promise<Issued> {
  const accountIds = where === 'operators' ? undefined : where.accountIds;
  if (accountIds?.length === 0) return { known_keys: [], known_webhooks: [] };
  return {
    known_keys: await knownKeys(parts, email, accountIds),
    known_webhooks: await knownWebhooks(parts, email, accountIds),
  };
}

/** Active keys that the user created, imported or rotated: the user may still have their secrets. */
async function knownKeys(
  { store: { db }, clock }: AdminParts,
  email: string,
  accountIds: readonly string[] | undefined,
) {
  const made = accountIds ? ['createOwnKey'] : ['createKey', 'importKey'];
  const rotated = accountIds ? 'rotateOwnKey' : 'rotateKey';
  let keys = db
    .selectFrom('api_keys')
    .select(['id', 'name', 'account_id'])
    .where('revoked_at', 'is', null)
    .where((key) => key.or([key('expires_at', 'is', null), key('expires_at', '>', clock.now())]))
    .where((key) => {
      const lines = key
        .selectFrom('audit')
        .select('audit.id')
        .where('subject_kind', '=', 'key')
        .where('actor', '=', email);
      return key.or([
        key.exists(lines.whereRef('subject_id', '=', 'api_keys.id').where('action', 'in', made)),
        key.exists(lines.whereRef('subject_id', '=', 'api_keys.rotated_from').where('action', '=', rotated)),
      ]);
    });
  if (accountIds) keys = keys.where('account_id', 'in', [...accountIds]);
  return keys.orderBy('created_at').orderBy('id').limit(listedMax).execute();
}

async function knownWebhooks({ store: { db } }: AdminParts, email: string, accountIds: readonly string[] | undefined) {
  const endpoints = db
    .selectFrom('delivery_endpoints')
    .select(['id', 'name', 'account_id'])
    .where('channel', '=', 'webhook')
    .where('source', '=', 'store')
    .where((webhook) => {
      const lines = webhook.selectFrom('audit').select('audit.id').where('subject_kind', '=', 'webhook');
      return webhook.exists(lines.whereRef('subject_id', '=', 'delivery_endpoints.id').where('actor', '=', email));
    });
  const own = accountIds
    ? endpoints.where('account_id', 'in', [...accountIds])
    : endpoints.where('account_id', 'is', null);
  return own.orderBy('created_at').orderBy('id').limit(listedMax).execute();
}
