import { z } from 'zod';
import { accounts } from '../../../money/accounts/accounts.ts';
import type { AccountId } from '../../../money/accounts/ids.ts';
import type { BatchState } from '../../../work/batches/batches.ts';
import { batchStates } from '../../../core/batch-states.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { type AdminCaller, ownAccount } from '../api/caller.ts';
import { type Endpoint, readEndpoint, type WriteOutcome, writeEndpoint } from '../api/endpoint.ts';
import { page, pageOf, pageQuery } from '../api/page.ts';
import { missing } from '../api/sent-values.ts';
import { idSchema } from '../api/wire.ts';
import { keyAt } from '../keys/key-documents.ts';
import { keyNameField, nameFields, named, withKeyNames } from '../names.ts';
import type { AdminParts } from '../parts.ts';
import {
  batchDetail,
  batchDetailFields,
  batchDocument,
  batchFields,
  batchParts,
  ownBatchDetailFields,
} from './batch-documents.ts';

const cursor = z.string().max(64);

const filter = {
  key: idSchema.optional().describe('Only batches of this key.'),
  state: z.enum(batchStates).optional().describe('Only batches in this state.'),
  ...pageQuery(cursor),
};

type Filter = z.output<z.ZodObject<typeof filter>> & { readonly accountId: string | undefined };

const reply = { name: 'Batch', schema: z.strictObject({ ...batchFields, ...nameFields }), inside: batchParts };
const detailReply = {
  name: 'BatchDetail',
  schema: z.strictObject({ ...batchDetailFields, ...nameFields }),
  inside: batchParts,
};

const operatorBatchEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/batches', 'listBatches', 'read-only', {
    summary: 'List the batches of all accounts, newest first.',
    query: z.strictObject({
      account: idSchema.optional().describe('Only batches of this account, by id or name.'),
      ...filter,
    }),
    reply: pageOf(reply),
    run: async ({ parts, query: { account, ...query } }) => {
      const { store, clock } = parts;
      // An unknown name is used as an id, and matches no batches.
      const accountId =
        account === undefined ? undefined : ((await accounts(store, clock).find(account))?.id ?? account);
      const { data, next } = await batchPage(parts, { ...query, accountId });
      return { data: await named(store, data), next };
    },
  }),
  readEndpoint('GET /admin/v1/batches/:id', 'getBatch', 'read-only', {
    summary: 'Get a batch, by its id in either format.',
    reply: detailReply,
    run: async ({ parts, id }) => operatorDetail(parts, await batchAt(parts, id)),
  }),
  writeEndpoint('POST /admin/v1/batches/:id/cancel', 'cancelBatch', 'operator', {
    summary: 'Cancel a batch. Its running requests end; the others do not run.',
    reply: detailReply,
    run: async ({ parts, id }) => {
      const { state, change } = await cancelled(parts, id);
      return { reply: await operatorDetail(parts, state), change };
    },
  }),
];

const ownReply = { name: 'OwnBatch', schema: z.strictObject({ ...batchFields, ...keyNameField }), inside: batchParts };
const ownDetailReply = {
  name: 'OwnBatchDetail',
  schema: z.strictObject({ ...ownBatchDetailFields, ...keyNameField }),
  inside: batchParts,
};

const ownBatchEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/batches', 'listOwnBatches', 'account', {
    summary: 'List your batches, newest first.',
    query: z.strictObject(filter),
    reply: pageOf(ownReply),
    run: async ({ parts, caller, query }) => {
      const accountId = ownAccount(caller);
      if (query.key !== undefined) await keyAt(parts, query.key, accountId);
      const { data, next } = await batchPage(parts, { ...query, accountId });
      return { data: await withKeyNames(parts.store, data), next };
    },
  }),
  readEndpoint('GET /account/v1/batches/:id', 'getOwnBatch', 'account', {
    summary: 'Get one of your batches, by its id in either format.',
    reply: ownDetailReply,
    run: async ({ parts, caller, id }) => ownDetail(parts, await batchAt(parts, id, ownAccount(caller)), caller),
  }),
  writeEndpoint('POST /account/v1/batches/:id/cancel', 'cancelOwnBatch', 'account', {
    summary: 'Cancel one of your batches. Its running requests end; the others do not run.',
    reply: ownDetailReply,
    run: async ({ parts, caller, id }) => {
      const { state, change } = await cancelled(parts, id, ownAccount(caller));
      return { reply: await ownDetail(parts, state, caller), change };
    },
  }),
  writeEndpoint('POST /account/v1/batches/:id/output/read', 'readOwnBatchOutput', 'account', {
    summary:
      'Download the output file of one of your batches. For owners and members. Each call is written to the audit log.',
    ...downloadOf('output'),
    run: ({ parts, caller, id }) => download(parts, { id, caller, file: 'output' }),
  }),
  writeEndpoint('POST /account/v1/batches/:id/errors/read', 'readOwnBatchErrors', 'account', {
    summary:
      'Download the error file of one of your batches. For owners and members. Each call is written to the audit log.',
    ...downloadOf('errors'),
    run: ({ parts, caller, id }) => download(parts, { id, caller, file: 'errors' }),
  }),
];

/** Operators see and cancel all batches, but never read their requests and results. */
export const batchEndpoints: readonly Endpoint[] = [...operatorBatchEndpoints, ...ownBatchEndpoints];

async function batchPage(parts: AdminParts, { accountId, key, state, limit, cursor: after }: Filter) {
  const query = { keyId: key, states: state && [state], after, limit };
  const states = await parts.batches.within(parts.store).list(accountId, query);
  return page(states, limit, { shown: batchDocument, position: ({ batch }) => batch.id });
}

async function batchAt(parts: AdminParts, id: string, accountId?: AccountId): Promise<BatchState> {
  const state = await parts.batches.within(parts.store).find(accountId, plainId(id));
  if (!state) throw missing('batch');
  return state;
}

/** The id without the prefix of a format. */
function plainId(id: string): string {
  return id.replace(/^(?:msg)?batch_/, '');
}

async function operatorDetail(parts: AdminParts, state: BatchState) {
  const [detail] = await named(parts.store, [await batchDetail(parts, state)]);
  if (!detail) throw missing('batch');
  return detail;
}

async function ownDetail(parts: AdminParts, state: BatchState, caller: AdminCaller) {
  const [detail] = await withKeyNames(parts.store, [await batchDetail(parts, state)]);
  if (!detail) throw missing('batch');
  // Each key of the account reads its files. An operator opens an account as a viewer.
  return { ...detail, readable: caller.memberRole !== 'viewer' };
}

async function cancelled(parts: AdminParts, id: string, accountId?: AccountId) {
  const { batch: before } = await batchAt(parts, id, accountId);
  const state = await parts.batches.within(parts.store).cancel(accountId, before.id);
  if (!state) throw missing('batch');
  const { batch } = state;
  if (batch.cancelling_at === null) throw new GatewayError('conflict', { reason: reason('batch_has_ended') });
  const accounts = [batch.account_id];
  const change = {
    kind: 'batch',
    id: batch.id,
    accounts,
    before: { state: before.state },
    after: { state: batch.state },
  };
  return { state, change: before.state === batch.state ? undefined : change };
}

function downloadOf(file: 'output' | 'errors') {
  const name = file === 'output' ? 'BatchOutput' : 'BatchErrors';
  return {
    isDisclosure: true,
    reply: { name, schema: z.string() },
    media: { type: 'application/x-jsonl', fileName: `batch-${file}.jsonl` },
  } as const;
}

interface Download {
  readonly id: string;
  readonly caller: AdminCaller;
  readonly file: 'output' | 'errors';
}

async function download(
  parts: AdminParts,
  { id, caller, file }: Download,
): Promise<WriteOutcome<AsyncIterable<Buffer>>> {
  const { batch } = await batchAt(parts, id, ownAccount(caller));
  const fileId = file === 'output' ? batch.output_file_id : batch.error_file_id;
  const found = fileId === null ? undefined : await parts.files.within(parts.store).find(batch.account_id, fileId);
  if (!found) throw missing('batch_file');
  const after = { file: found.id, bytes: found.bytes };
  return {
    // Read after this transaction.
    reply: parts.files.content(found),
    change: { kind: 'batch', id: batch.id, accounts: [batch.account_id], after },
  };
}
