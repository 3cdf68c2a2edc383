import { z } from 'zod';
import { withdrawLinksBy } from '../../../money/accounts/one-time-links.ts';
import { accountAt } from '../accounts/accounts.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import { missing, invalidField } from '../api/sent-values.ts';
import { createToken, findToken, listTokens, revokeToken, type Token } from '../api/tokens.ts';
import { documentAs, idSchema, labelSchema, timeSchema } from '../api/wire.ts';
import { broken } from 'chat-formats/reasons/reason.ts';

const role = z.enum(['owner', 'operator', 'read-only', 'account']);

const schema = z.strictObject({
  id: z.string(),
  name: z.string(),
  role,
  account_id: z.string().nullable().describe('Set for the role `account`.'),
  display: z.string(),
  created_at: timeSchema,
  created_by: z
    .string()
    .nullable()
    .describe('Actor that created it. A revoked token does not end the tokens that it created. Null: the first token.'),
  revoked_at: timeSchema.nullable(),
  last_used_at: timeSchema
    .nullable()
    .describe('Last use, up to a minute late. Null: no use since the gateway records it.'),
});

const reply = { name: 'Token', schema };

/** API tokens. Only owners manage them. */
export const tokenEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/tokens', 'listTokens', 'owner', {
    summary: 'List the tokens of these APIs, oldest first, without their secrets.',
    query: z.strictObject(pageQuery(z.int().min(0))),
    reply: pageOf(reply),
    run: async ({ parts, query: { limit, cursor = 0 } }) => {
      const tokens = (await listTokens(parts.store)).map((token, index) => ({ token, index }));
      return page(tokens.slice(cursor, cursor + limit + 1), limit, {
        shown: ({ token }) => tokenDocument(token),
        position: ({ index }) => index + 1,
      });
    },
  }),
  writeEndpoint('POST /admin/v1/tokens', 'createToken', 'owner', {
    summary: 'Create a token. The secret is shown only in this reply.',
    body: {
      name: 'NewToken',
      schema: z.strictObject({
        name: labelSchema,
        role,
        account: idSchema.optional().describe('Id of the account. Only with the role `account`, which requires it.'),
      }),
    },
    reply: { name: 'CreatedToken', schema: schema.extend({ secret: z.string().describe('Shown only once.') }) },
    run: async ({ parts, caller, body }) => {
      if ((body.role === 'account') !== (body.account !== undefined)) {
        throw invalidField('account', broken('account_missing_or_unwanted'));
      }
      const accountId = body.account === undefined ? undefined : (await accountAt(parts, body.account)).id;
      const { token, secret } = await createToken(parts, {
        name: body.name,
        role: body.role,
        accountId,
        createdBy: caller.actor,
      });
      const after = tokenDocument(token);
      return { reply: { ...after, secret }, change: { kind: 'token', id: token.id, after, ...concerned(token) } };
    },
  }),
  writeEndpoint('POST /admin/v1/tokens/:id/revoke', 'revokeToken', 'owner', {
    summary: 'Revoke a token: refuse it from now on.',
    reply,
    run: async ({ parts: { store, clock }, id }) => {
      const before = await findToken(store, id);
      if (!before) throw missing('token');
      if (!(await revokeToken(store, clock, id))) return { reply: tokenDocument(before) };
      await withdrawLinksBy(store.db, id);
      const after = tokenDocument({ ...before, revokedAt: clock.now() });
      const change = { kind: 'token', id, before: tokenDocument(before), after, ...concerned(before) };
      return { reply: after, change };
    },
  }),
];

/** Changes of an account token also appear in the audit log of the account. */
function concerned({ accountId }: Token): { readonly accounts: readonly string[] } {
  return { accounts: accountId === undefined ? [] : [accountId] };
}

export function tokenDocument(token: Token): z.input<typeof schema> {
  return documentAs(schema.shape, token);
}
