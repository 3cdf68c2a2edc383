import type { AccountId } from '../accounts/ids.ts';
import { type Endpoint, writing } from './endpoint.ts';
import {
  changeKey,
  graceSchema,
  keyAt,
  keyLimitsSchema,
  keyReply,
  madeKeyReply,
  replaceKey,
  revokeKey,
  versionedKey,
} from './key-documents.ts';
import { refuseSuspended } from './suspended.ts';
import type { AdminCaller } from './caller.ts';

/** Changing, replacing and cutting off a key, as its owner may do it. */
export function ownKeyEndpoints(ownAccount: (caller: AdminCaller) => AccountId): readonly Endpoint[] {
  return [
    writing({
      method: 'PATCH',
      path: '/account/v1/keys/:id',
      operationId: 'changeOwnKey',
      versioned: versionedKey(ownAccount),
      summary: "Change a key's name, limits, end or answers; what is left out stays.",
      access: 'account',
      body: { name: 'OwnKeyChange', schema: keyLimitsSchema },
      reply: keyReply,
      run: async ({ parts, caller, id, body }) => changeKey(parts, await keyAt(parts, id, ownAccount(caller)), body),
    }),
    writing({
      method: 'POST',
      path: '/account/v1/keys/:id/rotate',
      operationId: 'rotateOwnKey',
      versioned: versionedKey(ownAccount),
      summary: 'Replace a key by one on the same terms. The new secret is in this reply and nowhere else.',
      access: 'account',
      body: { name: 'Grace', schema: graceSchema },
      reply: madeKeyReply,
      run: async ({ parts, caller, id, body }) => {
        await refuseSuspended(parts, ownAccount(caller));
        return replaceKey(parts, await keyAt(parts, id, ownAccount(caller)), body);
      },
    }),
    writing({
      method: 'POST',
      path: '/account/v1/keys/:id/terminate',
      operationId: 'terminateOwnKey',
      versioned: versionedKey(ownAccount),
      summary: 'Refuse a key from now on, and end its running answers within seconds.',
      access: 'account',
      reply: keyReply,
      run: async ({ parts, caller, id }) =>
        revokeKey(parts, await keyAt(parts, id, ownAccount(caller)), { terminateStreams: true }),
    }),
  ];
}
