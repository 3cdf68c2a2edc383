import { z } from 'zod';
import { accounts } from '../../../money/accounts/accounts.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import { bodiesDocument } from './body-documents.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { nameFields, named, keyNameField, withKeyNames } from '../names.ts';
import type { AdminParts } from '../parts.ts';
import { requestDocument, requestFields, requestFilter, routingFields } from './request-documents.ts';
import { requestPage, requestPageOf, requestQuery, type RequestQuery, searchOf } from './request-pages.ts';
import { type RequestDetail, requestDetail } from './request-detail.ts';
import { missing } from '../api/sent-values.ts';
import {
  attemptDocument,
  attemptSchema,
  detailDocument,
  detailFields,
  detailParts,
  ownAttemptSchema,
  ownAttempts,
} from './request-detail-documents.ts';
import { documentAs, idSchema } from '../api/wire.ts';
import { ownAccount } from '../api/caller.ts';
import { keyAt } from '../keys/key-documents.ts';
import { csvReply, csvLine, escapeFormula } from '../api/csv.ts';
import { searchRequests } from '../../../money/requests/search-requests.ts';

const schema = z.strictObject({ ...requestFields, ...routingFields, ...nameFields });
const reply = { name: 'Request', schema };
const detailSchema = z.strictObject({
  ...detailFields,
  ...routingFields,
  attempt_count: routingFields.attempt_count.nullable(),
  attempts: z.array(attemptSchema).describe('One entry for each attempt at an upstream.'),
});

const operatorFilter = {
  account: idSchema.optional().describe('Only requests of this account, by id or name.'),
  upstream: z.string().max(64).optional().describe('Only requests that this upstream answered or failed.'),
};

export const requestEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/requests', 'listRequests', 'read-only', {
    summary: 'List requests, newest first by default.',
    query: z.strictObject({ ...operatorFilter, ...requestQuery }),
    reply: requestPageOf(reply),
    run: async ({ parts, query: { account, ...query } }) => {
      const accountId = await accountIdOf(parts, account);
      const { data, ...rest } = await requestPage(parts, { ...query, accountId }, document);
      return { data: await named(parts.store, data), ...rest };
    },
  }),
  readEndpoint('GET /admin/v1/requests.csv', 'exportRequests', 'read-only', {
    summary: 'Export all matching requests as CSV, newest first.',
    query: z.strictObject({ ...operatorFilter, ...requestFilter }),
    ...csvReply('RequestTable', 'requests.csv'),
    run: async ({ parts, query: { account, ...query } }) =>
      requestCsv(parts, { ...query, accountId: await accountIdOf(parts, account) }, { withRouting: true }),
  }),
  readEndpoint('GET /admin/v1/requests/:id', 'getRequest', 'read-only', {
    summary: 'Get a request in detail, by its `x-gateway-request-id` or the id of its answer.',
    reply: {
      name: 'RequestDetail',
      schema: detailSchema.extend(nameFields),
      inside: [{ name: 'Attempt', schema: attemptSchema }, ...detailParts],
    },
    run: async ({ parts, id, caller }) => {
      const found = await detailAt(parts, id);
      const [detail] = await named(parts.store, [operatorDetail(found)]);
      if (!detail) throw missing('request');
      return { ...detail, bodies: await bodiesDocument(parts, found, caller) };
    },
  }),
];

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

export const ownRequestEndpoints: readonly Endpoint[] = [
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
    ...csvReply('OwnRequestTable', 'requests.csv'),
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

/** An unknown name is used as an id, and matches no requests. */
async function accountIdOf({ store, clock }: AdminParts, account: string | undefined): Promise<string | undefined> {
  return account === undefined ? undefined : ((await accounts(store, clock).find(account))?.id ?? account);
}

/** Throws `request_not_found` unless the request exists, and belongs to the account if one is given. */
export async function detailAt({ store }: AdminParts, id: string, accountId?: string): Promise<RequestDetail> {
  const detail = await requestDetail(store, id);
  if (!detail || (accountId !== undefined && detail.accountId !== accountId)) throw missing('request');
  return detail;
}

/** The detail for operators, in the API and on the command line. */
export function operatorDetail(detail: RequestDetail): Omit<z.input<typeof detailSchema>, 'bodies'> {
  const { record } = detail;
  return {
    ...detailDocument(detail),
    ...(record ? routingDocument(record) : { upstream: null, upstream_model: null, attempt_count: null, notes: [] }),
    attempts: (record?.attempts ?? []).map(attemptDocument),
  };
}

function document(record: RequestRecord) {
  return { ...requestDocument(record), ...routingDocument(record) };
}

function routingDocument(record: RequestRecord) {
  return documentAs(routingFields, record);
}

/** Maximum number of rows in memory, for any table size and reading speed. */
const rowsPerRead = 1000;

const columns = `started_at id account_id account_name key_id key_name user_id tags site surface requested_model model
  status error_case finish prompt_tokens cached_tokens completion_tokens reasoning_tokens usage_source cost currency
  wait_ms first_byte_ms duration_ms client_gone`.split(/\s+/);

/** Visible to operators only. */
const routingColumns = ['upstream', 'upstream_model', 'attempt_count'];

type Cells = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** All matching requests as RFC 4180 CSV, newest first. Requests after this moment are left out, so that it ends. */
async function* requestCsv(
  parts: AdminParts,
  { until, ...query }: RequestQuery,
  { withRouting }: { readonly withRouting: boolean },
): AsyncGenerator<string> {
  const names = withRouting ? [...columns, ...routingColumns] : columns;
  const now = parts.clock.now();
  const search = {
    ...(await searchOf(parts.store, { ...query, until: Math.min(until ?? Number.POSITIVE_INFINITY, now + 1) })),
    order: 'newest',
    limit: rowsPerRead,
  } as const;
  let text = `${names.join(',')}\r\n`;
  for (let after: Awaited<ReturnType<typeof searchRequests>>['next']; ; ) {
    const { records, next } = await searchRequests(parts.store, { ...search, after }, now);
    const rows = await named(parts.store, records.map(requestDocument));
    const currency = parts.currency();
    rows.forEach((row, index) => {
      const { upstream, upstreamModel: upstream_model, attemptCount: attempt_count } = records[index] ?? {};
      text += `${lineOf({ ...row, tags: row.tags.join(' '), currency, upstream, upstream_model, attempt_count }, names)}\r\n`;
    });
    yield text;
    if (next === undefined) return;
    after = next;
    text = '';
  }
}

function lineOf(cells: Cells, names: readonly string[]): string {
  return csvLine(names.map((name) => textOf(cells[name])));
}

/** Numbers and money come from the gateway. Any other text may come from a client. */
function textOf(value: Cells[string]): string {
  return typeof value === 'string' ? escapeFormula(value) : String(value ?? '');
}
