import { z } from 'zod';
import type { AccountId } from '../../../money/accounts/ids.ts';
import type { ApiKey } from '../../../money/accounts/keys.ts';
import {
  bodyFacts,
  deleteBodiesOfKey,
  deleteBodiesOfRequest,
  storedBodies,
} from '../../../work/bodies/stored-bodies.ts';
import { readBodies, readBodiesReply, sizesOf } from './body-documents.ts';
import { ownAccount, requireKeyRight } from '../api/caller.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import { changeableKeyAt, keyAt } from '../keys/key-documents.ts';
import type { AdminParts } from '../parts.ts';
import type { RequestDetail } from './request-detail.ts';
import { detailAt } from './requests.ts';

const summaryReply = {
  name: 'StoredBodies',
  schema: z.strictObject({
    allowed: z.boolean().describe('Whether keys may store bodies.'),
    keep_seconds: z.number().nullable().describe('How long bodies are kept.'),
    max_bytes: z.int().nullable().describe('Bytes kept of each body.'),
    requests: z.int().describe('Requests with stored bodies.'),
    bytes: z.int().describe('Size of the bodies in the store.'),
  }),
};

const deletedReply = {
  name: 'DeletedBodies',
  schema: z.strictObject({
    deleted: z.int().describe('Requests whose bodies were deleted.'),
    more: z.boolean().describe('Whether there are more. Repeat the call until it is false.'),
  }),
};

const ownBodyEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/stored-bodies', 'getOwnStoredBodies', 'account', {
    summary: 'Get the limits of stored bodies, and how much is stored for your account.',
    reply: summaryReply,
    run: ({ parts, caller }) => bodiesSummary(parts, ownAccount(caller)),
  }),
  writeEndpoint('POST /account/v1/requests/:id/bodies/read', 'readOwnBodies', 'account', {
    summary:
      'Read the stored bodies of one of your requests. For owners and the member of the key. Each call is written to the audit log.',
    isDisclosure: true,
    reply: readBodiesReply,
    run: async ({ parts, caller, id }) => readBodies(parts, await detailAt(parts, id, ownAccount(caller)), caller),
  }),
  writeEndpoint('DELETE /account/v1/requests/:id/bodies', 'deleteOwnBodies', 'account', {
    summary: 'Delete the stored bodies of one of your requests.',
    reply: deletedReply,
    run: async ({ parts, caller, id }) => {
      const detail = await detailAt(parts, id, ownAccount(caller));
      await requireKeyRight(parts.store, detail.keyId ?? '', caller);
      return deleteOfRequest(parts, detail);
    },
  }),
  writeEndpoint('DELETE /account/v1/keys/:id/bodies', 'deleteOwnKeyBodies', 'account', {
    summary: 'Delete the stored bodies of all requests of a key, in batches, oldest first.',
    reply: deletedReply,
    run: async ({ parts, caller, id }) => deleteOfKey(parts, await changeableKeyAt(parts, id, caller)),
  }),
];

/** Also for operators, who see the amount and may delete bodies, but can never read them. */
export const bodyEndpoints: readonly Endpoint[] = [
  ...ownBodyEndpoints,
  readEndpoint('GET /admin/v1/stored-bodies', 'getStoredBodies', 'read-only', {
    summary: 'Get the limits of stored bodies, and how much is stored for all accounts.',
    reply: summaryReply,
    run: ({ parts }) => bodiesSummary(parts),
  }),
  writeEndpoint('DELETE /admin/v1/requests/:id/bodies', 'deleteBodies', 'operator', {
    summary: 'Delete the stored bodies of a request.',
    reply: deletedReply,
    run: async ({ parts, id }) => deleteOfRequest(parts, await detailAt(parts, id)),
  }),
  writeEndpoint('DELETE /admin/v1/keys/:id/bodies', 'deleteKeyBodies', 'operator', {
    summary: 'Delete the stored bodies of all requests of a key, in batches, oldest first.',
    reply: deletedReply,
    run: async ({ parts, id }) => deleteOfKey(parts, await keyAt(parts, id)),
  }),
];

/** Of one account, or of all. */
async function bodiesSummary(parts: AdminParts, accountId?: AccountId) {
  const terms = parts.storedBodies();
  const { count, bytes } = await storedBodies.total(parts.store, accountId);
  const limits = { keep_seconds: terms ? terms.keep / 1000 : null, max_bytes: terms?.maxBytes ?? null };
  return { allowed: terms !== undefined, ...limits, requests: count, bytes };
}

async function deleteOfRequest(parts: AdminParts, { id, accountId, keyId }: RequestDetail) {
  const facts = await bodyFacts(parts.store, { id });
  const deleted = await deleteBodiesOfRequest(parts.store, { id, accountId, keyId, at: parts.clock.now() });
  const change = { kind: 'request', id, accounts: [accountId], before: facts && sizesOf(facts) };
  return { reply: { deleted, more: false }, change: deleted > 0 ? change : undefined };
}

async function deleteOfKey(parts: AdminParts, { id }: ApiKey) {
  const reply = await deleteBodiesOfKey(parts.store, { keyId: id, at: parts.clock.now() });
  const change = { kind: 'key', id, before: { stored_bodies: reply.deleted } };
  return { reply, change: reply.deleted > 0 ? change : undefined };
}
