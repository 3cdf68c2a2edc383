import { z } from 'zod';
import type { AccountId } from '../../../money/accounts/ids.ts';
import { accountAt } from '../accounts/accounts.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import {
  changeableKeyAt,
  changeKey,
  graceSchema,
  importedKeyReply,
  importedKeySchema,
  importForeignKey,
  keyAt,
  keyDocument,
  keyLimitsSchema,
  keyPage,
  keyPageQuery,
  keyPageReply,
  keyReply,
  createdKeyReply,
  makeKey,
  newKeyFields,
  replaceKey,
  revokeKey,
  versionedKey,
} from './key-documents.ts';
import { idSchema } from '../api/wire.ts';
import { ownAccount } from '../api/caller.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { AdminParts } from '../parts.ts';

export const keyEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/keys', 'listKeys', 'read-only', {
    summary: 'List API keys, oldest first by default, without their secrets.',
    query: z.strictObject({ account: idSchema.optional().describe('Only keys of this account.'), ...keyPageQuery }),
    reply: keyPageReply,
    run: ({ parts, query: { account, ...rest } }) =>
      keyPage(parts, { ...rest, accountId: account as AccountId | undefined }),
  }),
  readEndpoint('GET /admin/v1/keys/:id', 'getKey', 'read-only', {
    summary: 'Get an API key.',
    reply: keyReply,
    run: async ({ parts, id }) => keyDocument(parts, await keyAt(parts, id)),
  }),
  writeEndpoint('POST /admin/v1/keys', 'createKey', 'operator', {
    summary: 'Create an API key. The secret is shown only in this reply.',
    body: {
      name: 'NewKey',
      schema: z.strictObject({ account: idSchema.describe('Id of the account that owns the key.'), ...newKeyFields }),
    },
    reply: createdKeyReply,
    run: async ({ parts, caller, body: { account, ...terms } }) =>
      makeKey(parts, { accountId: (await accountAt(parts, account)).id, caller }, terms),
  }),
  writeEndpoint('POST /admin/v1/keys/import', 'importKey', 'operator', {
    summary:
      'Import an API key of another product, so that its clients need no new key. Running gateways accept it within a second.',
    body: {
      name: 'KeyToImport',
      schema: importedKeySchema.extend({ account: idSchema.describe('Id of the account that owns the key.') }),
    },
    reply: importedKeyReply,
    run: async ({ parts, caller, body: { account, ...fields } }) =>
      importForeignKey(parts, { accountId: (await accountAt(parts, account)).id, caller }, fields),
  }),
  writeEndpoint('PATCH /admin/v1/keys/:id', 'changeKey', 'operator', {
    versioned: versionedKey(),
    summary: 'Change the name, limits, expiry or body settings of an API key. Fields that are left out stay unchanged.',
    body: { name: 'KeyLimits', schema: keyLimitsSchema },
    reply: keyReply,
    run: async ({ parts, caller, id, body }) => changeKey(parts, { before: await keyAt(parts, id), caller }, body),
  }),
  writeEndpoint('POST /admin/v1/keys/:id/revoke', 'revokeKey', 'operator', {
    versioned: versionedKey(),
    summary: 'Revoke an API key: refuse it from now on. Running answers finish.',
    reply: keyReply,
    run: async ({ parts, id }) => revokeKey(parts, await keyAt(parts, id)),
  }),
  writeEndpoint('POST /admin/v1/keys/:id/terminate', 'terminateKey', 'operator', {
    versioned: versionedKey(),
    summary: 'Terminate an API key: refuse it from now on, and abort its running requests within seconds.',
    reply: keyReply,
    run: async ({ parts, id }) => revokeKey(parts, await keyAt(parts, id), { terminateStreams: true }),
  }),
  writeEndpoint('POST /admin/v1/keys/:id/rotate', 'rotateKey', 'operator', {
    versioned: versionedKey(),
    summary: 'Rotate an API key: replace it by one with the same terms. The new secret is shown only in this reply.',
    body: { name: 'Grace', schema: graceSchema },
    reply: createdKeyReply,
    run: async ({ parts, id, body }) => replaceKey(parts, await keyAt(parts, id), body),
  }),
];

const playgroundKeyMs = 3_600_000;

export const ownKeyEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/keys', 'listOwnKeys', 'account', {
    summary: 'List your API keys, oldest first by default, without their secrets.',
    query: z.strictObject(keyPageQuery),
    reply: keyPageReply,
    run: ({ parts, caller, query }) => keyPage(parts, { ...query, accountId: ownAccount(caller) }),
  }),
  readEndpoint('GET /account/v1/keys/:id', 'getOwnKey', 'account', {
    summary: 'Get one of your API keys.',
    reply: keyReply,
    run: async ({ parts, caller, id }) => keyDocument(parts, await keyAt(parts, id, ownAccount(caller))),
  }),
  writeEndpoint('POST /account/v1/keys', 'createOwnKey', 'account', {
    summary: 'Create an API key. The secret is shown only in this reply.',
    body: { name: 'NewOwnKey', schema: z.strictObject(newKeyFields) },
    reply: createdKeyReply,
    run: async ({ parts, caller, body }) => {
      await refuseSuspended(parts, ownAccount(caller));
      return makeKey(parts, { accountId: ownAccount(caller), caller }, body);
    },
  }),
  writeEndpoint('POST /account/v1/playground-keys', 'createPlaygroundKey', 'account', {
    summary:
      'Create a temporary key for the playground, valid for one hour. By default it is not listed. The secret is shown only in this reply.',
    reply: createdKeyReply,
    run: async ({ parts, caller }) => {
      await refuseSuspended(parts, ownAccount(caller));
      const end = parts.clock.now() + playgroundKeyMs;
      const owner = { accountId: ownAccount(caller), caller };
      return makeKey(parts, owner, { name: 'playground', expires_at: end, isTemporary: true });
    },
  }),
  writeEndpoint('POST /account/v1/keys/:id/revoke', 'revokeOwnKey', 'account', {
    versioned: versionedKey(ownAccount),
    summary: 'Revoke one of your API keys: refuse it from now on. Running answers finish.',
    reply: keyReply,
    run: async ({ parts, caller, id }) => revokeKey(parts, await changeableKeyAt(parts, id, caller)),
  }),
];

export const ownKeyChangeEndpoints: readonly Endpoint[] = [
  writeEndpoint('PATCH /account/v1/keys/:id', 'changeOwnKey', 'account', {
    versioned: versionedKey(ownAccount),
    summary:
      'Change the name, limits, expiry or body settings of one of your API keys. Fields that are left out stay unchanged.',
    body: { name: 'OwnKeyChange', schema: keyLimitsSchema },
    reply: keyReply,
    run: async ({ parts, caller, id, body }) =>
      changeKey(parts, { before: await changeableKeyAt(parts, id, caller), caller }, body),
  }),
  writeEndpoint('POST /account/v1/keys/:id/rotate', 'rotateOwnKey', 'account', {
    versioned: versionedKey(ownAccount),
    summary:
      'Rotate one of your API keys: replace it by one with the same terms. The new secret is shown only in this reply.',
    body: { name: 'Grace', schema: graceSchema },
    reply: createdKeyReply,
    run: async ({ parts, caller, id, body }) => {
      await refuseSuspended(parts, ownAccount(caller));
      return replaceKey(parts, await changeableKeyAt(parts, id, caller), body);
    },
  }),
  writeEndpoint('POST /account/v1/keys/:id/terminate', 'terminateOwnKey', 'account', {
    versioned: versionedKey(ownAccount),
    summary: 'Terminate one of your API keys: refuse it from now on, and abort its running requests within seconds.',
    reply: keyReply,
    run: async ({ parts, caller, id }) =>
      revokeKey(parts, await changeableKeyAt(parts, id, caller), { terminateStreams: true }),
  }),
];

/** Throws for a suspended account: a new key would not work, and its owner would not see why. */
async function refuseSuspended(parts: AdminParts, accountId: AccountId): Promise<void> {
  const { status } = await accountAt(parts, accountId);
  if (status === 'suspended') throw new GatewayError('account-suspended');
}
