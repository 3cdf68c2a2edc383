import { z } from 'zod';
import { absentFields, type StatusClass } from '../../../money/requests/find-requests.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import { documentAs, idSchema, moneySchema, periodQuery, timeSchema } from '../api/wire.ts';

const tokens = z.int().nullable();
const milliseconds = z.int().nullable();

export const requestFields = {
  id: z.string(),
  started_at: timeSchema,
  account_id: z.string(),
  key_id: z.string(),
  user_id: z.string().nullable(),
  tags: z.array(z.string()).describe('Labels from `metadata` of the body and the header `x-gateway-tags`.'),
  site: z.string(),
  surface: z.string(),
  requested_model: z.string().describe('As the client sent it.'),
  model: z.string().nullable().describe('Catalog id that it resolved to.'),
  status: z.int(),
  error_case: z.string().nullable(),
  error_detail: z
    .string()
    .nullable()
    .describe('Details that the client got in addition to the text of the case, such as the invalid field.'),
  finish: z.string().nullable(),
  prompt_tokens: tokens,
  completion_tokens: tokens,
  cached_tokens: tokens,
  reasoning_tokens: tokens,
  usage_source: z
    .enum(['upstream', 'counted', 'estimated'])
    .nullable()
    .describe(
      'Source of the token counts. `upstream`: the provider. `counted`: the gateway, because the provider reported none. `estimated`: from the length of the text, because it could not be counted.',
    ),
  cost: moneySchema.nullable(),
  price_version: z.string().nullable(),
  wait_ms: milliseconds,
  first_byte_ms: milliseconds,
  duration_ms: z.int(),
  client_gone: z.boolean(),
  requested_whole: z.boolean().nullable().describe('Whether one JSON body was requested: `stream` was not `true`.'),
  unwanted_stream: z
    .boolean()
    .nullable()
    .describe(
      'Whether it got a stream nevertheless. A client that cannot read the stream retries, and every retry is charged. Set `honour_stream_false` on the key or the site, or request streams.',
    ),
};

/** Visible to operators only: the source of the answer, and anomalies. */
export const routingFields = {
  upstream: z.string().nullable(),
  upstream_model: z.string().nullable(),
  attempt_count: z.int(),
  notes: z.array(z.string()),
};

export const requestFilter = {
  key: idSchema.optional().describe('Only requests of this key.'),
  model: z.string().max(256).optional().describe('Only requests for this catalog id.'),
  user_id: z.string().max(512).optional().describe('Only requests with this `user_id`, a label that the client sets.'),
  tag: z.string().max(64).optional().describe('Only requests with this tag.'),
  member: z
    .string()
    .max(254)
    .optional()
    .describe(
      'Only requests of keys that count for the member with this id, as in `by=member` of usage. Within one account.',
    ),
  without: z
    .enum(absentFields)
    .optional()
    .describe('Only requests without this value, such as those for an unknown model.'),
  status: z.coerce.number().int().min(100).max(599).optional().describe('Only requests with this status.'),
  status_class: z
    .enum(['2xx', '3xx', '4xx', '5xx'])
    .transform((text) => Number(text[0]) as StatusClass)
    .optional()
    .describe('Only requests with a status of this class.'),
  errors_only: z
    .stringbool()
    .optional()
    .describe('Only failed requests, including those that failed after the status was sent.'),
  error_case: z.string().max(64).optional().describe('Only requests that failed with this case.'),
  ...periodQuery,
};

export type OwnRequest = z.input<z.ZodObject<typeof requestFields>>;

export function requestDocument(record: RequestRecord): OwnRequest {
  return documentAs(requestFields, { ...record, tags: record.tags ?? [] });
}
