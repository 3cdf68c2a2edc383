import { z } from 'zod';
import type { AccountId } from '../accounts/ids.ts';
import { bodyFacts, bodyRows, deleteBodiesOfKey, deleteBodiesOfRequest } from '../bodies/stored-bodies.ts';
import { readBodies, readBodiesReply, sizesOf } from './body-documents.ts';
import type { AdminCaller } from './caller.ts';
import { type Endpoint, reading, writing } from './endpoint.ts';
import { keyAt } from './key-documents.ts';
import { ownAccount } from './own-account.ts';
import type { AdminParts } from './parts.ts';
import { detailAt } from './requests.ts';

const standingReply = {
  name: 'StoredBodies',
  schema: z.strictObject({
    allowed: z.boolean().describe('Whether keys may have bodies stored here.'),
    keep_seconds: z.number().nullable().describe('How long they are kept.'),
    max_bytes: z.int().nullable().describe('How much is kept of each body.'),
    requests: z.int().describe('Of how many requests there are some now.'),
    bytes: z.int().describe('What they take in the store.'),
  }),
};

const deletedReply = {
  name: 'DeletedBodies',
  schema: z.strictObject({
    deleted: z.int().describe('Of how many requests bodies were deleted.'),
    more: z.boolean().describe('Whether there are more: ask again until there are none.'),
  }),
};

/** Where a caller reaches: an account's own, or those of all. */
type AccountReach = (caller: AdminCaller) => AccountId | undefined;

const everywhere: AccountReach = () => undefined;

/** Bodies as the account sees them, that they belong to. */
const ownBodyEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/account/v1/stored-bodies',
    operationId: 'getOwnStoredBodies',
    summary: 'Whether bodies of requests may be stored, for how long, and what is stored of yours.',
    access: 'account',
    reply: standingReply,
    run: ({ parts, caller }) => standing(parts, ownAccount(caller)),
  }),
  writing({
    method: 'POST',
    path: '/account/v1/requests/:id/bodies/read',
    operationId: 'readOwnBodies',
    summary:
      'The stored bodies of one of your requests. For owners and who made the key; each reading is a line of the audit log.',
    access: 'account',
    isDisclosure: true,
    reply: readBodiesReply,
    run: async ({ parts, caller, id }) => readBodies(parts, await detailAt(parts, id, ownAccount(caller)), caller),
  }),
  writing({
    method: 'DELETE',
    path: '/account/v1/requests/:id/bodies',
    operationId: 'deleteOwnBodies',
    summary: 'Delete the stored bodies of one of your requests, now.',
    access: 'account',
    reply: deletedReply,
    run: ({ parts, caller, id }) => deleteOfRequest(parts, id, ownAccount(caller)),
  }),
  writing({
    method: 'DELETE',
    path: '/account/v1/keys/:id/bodies',
    operationId: 'deleteOwnKeyBodies',
    summary: 'Delete the stored bodies of all requests of a key, some at a time, the oldest first.',
    access: 'account',
    reply: deletedReply,
    run: ({ parts, caller, id }) => deleteOfKey(parts, id, ownAccount(caller)),
  }),
];

/** The same for operators, who see how much there is and may delete it, and never read it. */
export const bodyEndpoints: readonly Endpoint[] = [
  ...ownBodyEndpoints,
  reading({
    method: 'GET',
    path: '/admin/v1/stored-bodies',
    operationId: 'getStoredBodies',
    summary: 'Whether bodies of requests may be stored, for how long, and what is stored of all accounts.',
    access: 'read-only',
    reply: standingReply,
    run: ({ parts, caller }) => standing(parts, everywhere(caller)),
  }),
  writing({
    method: 'DELETE',
    path: '/admin/v1/requests/:id/bodies',
    operationId: 'deleteBodies',
    summary: 'Delete the stored bodies of a request, now.',
    access: 'operator',
    reply: deletedReply,
    run: ({ parts, caller, id }) => deleteOfRequest(parts, id, everywhere(caller)),
  }),
  writing({
    method: 'DELETE',
    path: '/admin/v1/keys/:id/bodies',
    operationId: 'deleteKeyBodies',
    summary: 'Delete the stored bodies of all requests of a key, some at a time, the oldest first.',
    access: 'operator',
    reply: deletedReply,
    run: ({ parts, caller, id }) => deleteOfKey(parts, id, everywhere(caller)),
  }),
];

async function standing(parts: AdminParts, accountId: AccountId | undefined) {
  const terms = parts.storedBodies();
  const { requests, bytes } = await bodyRows.total(parts.store, accountId);
  const bounds = { keep_seconds: terms ? terms.keep / 1000 : null, max_bytes: terms?.maxBytes ?? null };
  return { allowed: terms !== undefined, ...bounds, requests, bytes };
}

async function deleteOfRequest(parts: AdminParts, name: string, reach: AccountId | undefined) {
  const { id, accountId, keyId } = await detailAt(parts, name, reach);
  const facts = await bodyFacts(parts.store, { id, since: 0 });
  const deleted = await deleteBodiesOfRequest(parts.store, { id, accountId, keyId, at: parts.clock.now() });
  const change = { kind: 'request', id, accounts: [accountId], before: facts && sizesOf(facts) };
  return { reply: { deleted, more: false }, change: deleted > 0 ? change : undefined };
}

async function deleteOfKey(parts: AdminParts, keyId: string, reach: AccountId | undefined) {
  const { id } = await keyAt(parts, keyId, reach);
  const reply = await deleteBodiesOfKey(parts.store, { keyId: id, at: parts.clock.now() });
  const change = { kind: 'key', id, before: { stored_bodies: reply.deleted } };
  return { reply, change: reply.deleted > 0 ? change : undefined };
}
