import { z } from 'zod';
import type { RequestRecord } from '../requests/request-record.ts';
import { type Endpoint, reading } from './endpoint.ts';
import { pageOf } from './page.ts';
import {
  requestAt,
  requestDocument,
  requestFields,
  requestPage,
  requestQuery,
  routingFields,
} from './request-documents.ts';
import { idSchema } from './wire.ts';

const schema = z.strictObject({ ...requestFields, ...routingFields });
const reply = { name: 'Request', schema };

export const requestEndpoints: readonly Endpoint[] = [
  reading({
    method: 'GET',
    path: '/admin/v1/requests',
    operationId: 'listRequests',
    summary: 'Requests, newest first.',
    access: 'read-only',
    query: z.strictObject({ account: idSchema.optional().describe('Only those of this account.'), ...requestQuery }),
    reply: pageOf(reply),
    run: ({ parts, query: { account, ...query } }) => requestPage(parts, { ...query, accountId: account }, document),
  }),
  reading({
    method: 'GET',
    path: '/admin/v1/requests/:id',
    operationId: 'getRequest',
    summary: 'One request, by its `x-gateway-request-id`.',
    access: 'read-only',
    reply,
    run: async ({ parts, id }) => document(await requestAt(parts, id)),
  }),
];

function document(record: RequestRecord): z.input<typeof schema> {
  return {
    ...requestDocument(record),
    upstream: record.upstream ?? null,
    upstream_model: record.upstreamModel ?? null,
    attempts: record.attempts,
    notes: [...record.notes],
  };
}
