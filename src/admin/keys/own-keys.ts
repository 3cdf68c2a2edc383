import { type Endpoint, writeEndpoint } from '../api/endpoint.ts';
import {
  changeKey,
  graceSchema,
  keyAt,
  keyLimitsSchema,
  keyReply,
  createdKeyReply,
  replaceKey,
  revokeKey,
  versionedKey,
} from './key-documents.ts';
import { refuseSuspended } from '../accounts/suspended.ts';
import { ownAccount } from '../api/caller.ts';

/** Changing, rotating and terminating a key, for its owner. */
export const ownKeyEndpoints: readonly Endpoint[] = [
  writeEndpoint('PATCH /account/v1/keys/:id', 'changeOwnKey', 'account', {
    versioned: versionedKey(ownAccount),
    summary:
      'Change the name, limits, expiry or body settings of one of your API keys. Fields that are left out stay unchanged.',
    body: { name: 'OwnKeyChange', schema: keyLimitsSchema },
    reply: keyReply,
    run: async ({ parts, caller, id, body }) => changeKey(parts, await keyAt(parts, id, ownAccount(caller)), body),
  }),
  writeEndpoint('POST /account/v1/keys/:id/rotate', 'rotateOwnKey', 'account', {
    versioned: versionedKey(ownAccount),
    summary:
      'Rotate one of your API keys: replace it by one with the same terms. The new secret is shown only in this reply.',
    body: { name: 'Grace', schema: graceSchema },
    reply: createdKeyReply,
    run: async ({ parts, caller, id, body }) => {
      await refuseSuspended(parts, ownAccount(caller));
      return replaceKey(parts, await keyAt(parts, id, ownAccount(caller)), body);
    },
  }),
  writeEndpoint('POST /account/v1/keys/:id/terminate', 'terminateOwnKey', 'account', {
    versioned: versionedKey(ownAccount),
    summary: 'Terminate one of your API keys: refuse it from now on, and abort its running requests within seconds.',
    reply: keyReply,
    run: async ({ parts, caller, id }) =>
      revokeKey(parts, await keyAt(parts, id, ownAccount(caller)), { terminateStreams: true }),
  }),
];
