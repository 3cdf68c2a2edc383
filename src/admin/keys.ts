import { z } from 'zod';
import type { AccountId } from '../accounts/ids.ts';
import { accountAt } from './accounts.ts';
import { type Endpoint, reading, writing } from './endpoint.ts';
import {
  changeKey,
  graceSchema,
  keyAt,
  keyDocument,
  keyLimitsSchema,
  keyPage,
  keyPageQuery,
  keyPageReply,
  keyReply,
  madeKeyReply,
  makeKey,
  newKeyFields,
  replaceKey,
  revokeKey,
} from './key-documents.ts';
import { idSchema } from './wire.ts';

export const keyEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/admin/v1/keys',
    operationId: 'listKeys',
    summary: 'API keys, oldest first, without their secrets.',
    access: 'read-only',
    query: z.strictObject({ account: idSchema.optional().describe('Only those of this account.'), ...keyPageQuery }),
    reply: keyPageReply,
    run: ({ parts, query: { account, ...rest } }) =>
      keyPage(parts, { ...rest, accountId: account as AccountId | undefined }),
  }),
  reading({
    method: 'GET',
    path: '/admin/v1/keys/:id',
    operationId: 'getKey',
    summary: 'One API key.',
    access: 'read-only',
    reply: keyReply,
    run: async ({ parts, id }) => keyDocument(parts, await keyAt(parts, id)),
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/keys',
    operationId: 'createKey',
    summary: 'Make an API key. Its secret is in this reply and nowhere else.',
    access: 'operator',
    body: {
      name: 'NewKey',
      schema: z.strictObject({ account: idSchema.describe('Whose key it is: the id of an account.'), ...newKeyFields }),
    },
    reply: madeKeyReply,
    run: async ({ parts, body }) => makeKey(parts, (await accountAt(parts, body.account)).id, body),
  }),
  writing({
    method: 'PATCH',
    path: '/admin/v1/keys/:id',
    operationId: 'changeKey',
    summary: "Change a key's name, models, end or answers; what is left out stays.",
    access: 'operator',
    body: { name: 'KeyLimits', schema: keyLimitsSchema },
    reply: keyReply,
    run: async ({ parts, id, body }) => changeKey(parts, await keyAt(parts, id), body),
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/keys/:id/revoke',
    operationId: 'revokeKey',
    summary: 'Refuse a key from now on; answers that are running finish.',
    access: 'operator',
    reply: keyReply,
    run: async ({ parts, id }) => revokeKey(parts, await keyAt(parts, id)),
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/keys/:id/cut',
    operationId: 'cutKey',
    summary: 'Refuse a key from now on, and end its running answers within seconds.',
    access: 'operator',
    reply: keyReply,
    run: async ({ parts, id }) => revokeKey(parts, await keyAt(parts, id), { cut: true }),
  }),
  writing({
    method: 'POST',
    path: '/admin/v1/keys/:id/roll',
    operationId: 'rollKey',
    summary: 'Replace a key by one on the same terms. The new secret is in this reply and nowhere else.',
    access: 'operator',
    body: { name: 'Grace', schema: graceSchema },
    reply: madeKeyReply,
    run: async ({ parts, id, body }) => replaceKey(parts, await keyAt(parts, id), body),
  }),
];
