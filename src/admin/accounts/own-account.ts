import { z } from 'zod';
import { accountAt, accountDocument, accountReply } from './accounts.ts';
import { bodiesDocument } from '../requests/body-documents.ts';
import { type Endpoint, readEndpoint, writeEndpoint } from '../api/endpoint.ts';
import {
  keyAt,
  keyDocument,
  keyPage,
  keyPageQuery,
  keyPageReply,
  keyReply,
  createdKeyReply,
  makeKey,
  newKeyFields,
  revokeKey,
  versionedKey,
} from '../keys/key-documents.ts';
import { ledgerCsv } from '../money/ledger-csv.ts';
import { balanceDocument, balanceReply, ledgerFilter, ledgerPage, ledgerQuery, ledgerReply } from '../money/money.ts';
import { keyNameField, withKeyNames } from '../names.ts';
import { ownKeyEndpoints } from '../keys/own-keys.ts';
import { ownModelsEndpoint } from '../catalog/own-models.ts';
import { usageEndpoint } from '../usage/own-usage.ts';
import { paymentEndpoints } from '../money/payments.ts';
import { redemptionEndpoint } from '../money/redemptions.ts';
import { requestCsv } from '../requests/request-csv.ts';
import { requestDocument, requestFields, requestFilter } from '../requests/request-documents.ts';
import { requestPage, requestPageOf, requestQuery } from '../requests/request-pages.ts';
import { statementEndpoints } from '../money/statements.ts';
import { detailAt } from '../requests/requests.ts';
import { missing } from '../api/sent-values.ts';
import { refuseSuspended } from './suspended.ts';
import {
  ownAttemptSchema,
  ownAttempts,
  detailDocument,
  detailFields,
  detailParts,
} from '../requests/request-detail-documents.ts';
import { ownAccount } from '../api/caller.ts';

/** Lifetime of a playground key. */
const playgroundKeyMs = 3_600_000;

const requestReply = { name: 'OwnRequest', schema: z.strictObject({ ...requestFields, ...keyNameField }) };
const detailReply = {
  name: 'OwnRequestDetail',
  schema: z.strictObject({
    ...detailFields,
    ...keyNameField,
    attempts: z.array(ownAttemptSchema).describe('One entry for each attempt at a provider.'),
  }),
  inside: [{ name: 'OwnAttempt', schema: ownAttemptSchema }, ...detailParts],
};

/** Endpoints for the owner of an account. Every row is read through the caller's account. */
export const ownEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /account/v1/account', 'getOwnAccount', 'account', {
    summary: 'Get your account.',
    reply: accountReply,
    run: async ({ parts, caller }) => accountDocument(parts, await accountAt(parts, ownAccount(caller))),
  }),
  readEndpoint('GET /account/v1/balance', 'getOwnBalance', 'account', {
    summary: 'Get the balance of your account.',
    reply: balanceReply,
    run: ({ parts, caller }) => balanceDocument(parts, ownAccount(caller)),
  }),
  readEndpoint('GET /account/v1/ledger', 'listOwnLedger', 'account', {
    summary: 'List the ledger entries of your account, newest first.',
    query: ledgerQuery,
    reply: ledgerReply,
    run: ({ parts, caller, query }) => ledgerPage(parts, ownAccount(caller), query),
  }),
  readEndpoint('GET /account/v1/ledger.csv', 'exportOwnLedger', 'account', {
    summary: 'Export the ledger entries of your account as CSV.',
    query: z.strictObject(ledgerFilter),
    reply: { name: 'LedgerTable', schema: z.string() },
    media: { type: 'text/csv', fileName: 'ledger.csv' },
    run: ({ parts, caller, query }) => ledgerCsv(parts, { ...query, accountId: ownAccount(caller) }),
  }),
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
      return makeKey(parts, ownAccount(caller), body);
    },
  }),
  writeEndpoint('POST /account/v1/playground-keys', 'createPlaygroundKey', 'account', {
    summary:
      'Create a temporary key for the playground, valid for one hour. By default it is not listed. The secret is shown only in this reply.',
    reply: createdKeyReply,
    run: async ({ parts, caller }) => {
      await refuseSuspended(parts, ownAccount(caller));
      const end = parts.clock.now() + playgroundKeyMs;
      return makeKey(parts, ownAccount(caller), { name: 'playground', expires_at: end, isTemporary: true });
    },
  }),
  writeEndpoint('POST /account/v1/keys/:id/revoke', 'revokeOwnKey', 'account', {
    versioned: versionedKey(ownAccount),
    summary: 'Revoke one of your API keys: refuse it from now on. Running answers finish.',
    reply: keyReply,
    run: async ({ parts, caller, id }) => revokeKey(parts, await keyAt(parts, id, ownAccount(caller))),
  }),
  redemptionEndpoint,
  ...statementEndpoints,
  ...paymentEndpoints,
  ...ownKeyEndpoints,
  usageEndpoint,
  ownModelsEndpoint,
  readEndpoint('GET /account/v1/requests', 'listOwnRequests', 'account', {
    summary: 'List your requests, newest first by default.',
    query: z.strictObject(requestQuery),
    reply: requestPageOf(requestReply),
    run: async ({ parts, caller, query }) => {
      const accountId = ownAccount(caller);
      if (query.key !== undefined) await keyAt(parts, query.key, accountId);
      const { data, ...rest } = await requestPage(parts, { ...query, accountId }, requestDocument);
      return { data: await withKeyNames(parts.store, data), ...rest };
    },
  }),
  readEndpoint('GET /account/v1/requests.csv', 'exportOwnRequests', 'account', {
    summary: 'Export all matching requests of your account as CSV, newest first.',
    query: z.strictObject(requestFilter),
    reply: { name: 'OwnRequestTable', schema: z.string() },
    media: { type: 'text/csv', fileName: 'requests.csv' },
    run: async ({ parts, caller, query }) => {
      const accountId = ownAccount(caller);
      if (query.key !== undefined) await keyAt(parts, query.key, accountId);
      return requestCsv(parts, { ...query, accountId }, { withRouting: false });
    },
  }),
  readEndpoint('GET /account/v1/requests/:id', 'getOwnRequest', 'account', {
    summary: 'Get one of your requests in detail, by its `x-gateway-request-id` or the id of its answer.',
    reply: detailReply,
    run: async ({ parts, caller, id }) => {
      const detail = await detailAt(parts, id, ownAccount(caller));
      const [named] = await withKeyNames(parts.store, [detailDocument(detail)]);
      if (!named) throw missing('request');
      const bodies = await bodiesDocument(parts, detail, caller);
      return { ...named, bodies, attempts: ownAttempts(detail.record?.attempts ?? []) };
    },
  }),
];
