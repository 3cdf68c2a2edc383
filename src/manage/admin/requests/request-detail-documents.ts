import { z } from 'zod';
import { priceKinds } from '../../../core/price-kinds.ts';
import { bodiesSchema } from './body-documents.ts';
import { decimalText, unitsText } from '../../../core/money.ts';
import type { AttemptRecord } from '../../../money/requests/attempt-record.ts';
import { requestDocument, requestFields } from './request-documents.ts';
import { type RequestDetail, requestStates } from './request-detail.ts';
import { documentAs, isoTimeOrNull, moneySchema, timeSchema } from '../api/wire.ts';

const statusClasses = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
const count = z.int().nullable();
const milliseconds = z.int().describe('Milliseconds since the request began.');

const attemptFields = {
  wait_ms: z.int().describe('Time in the queue before it was sent.'),
  backoff_ms: z.int().describe('Back-off before that, because the previous attempt failed.'),
  position: count.describe('Requests ahead of it when it entered the queue.'),
  began_ms: milliseconds,
  ended_ms: milliseconds,
  first_event_ms: milliseconds.nullable(),
};

/** The owner of a request sees how an attempt went, but not the name of the provider. */
export const ownAttemptSchema = z.strictObject({
  provider: z.string().describe('`provider 1`, `provider 2`, … in the order of their first attempts.'),
  ...attemptFields,
  status_class: z.enum(statusClasses).nullable(),
  is_answer: z.boolean().describe('Whether the answer came from this attempt.'),
});

export const attemptSchema = z.strictObject({
  upstream: z.string(),
  upstream_model: z.string(),
  credential: count.describe('Index of the credential of the upstream, from 0.'),
  ...attemptFields,
  status: count.describe('HTTP status of the provider, if it responded.'),
  error_case: z.string().nullable(),
  reason: z.string().nullable(),
});

const costLineSchema = z.strictObject({
  kind: z.enum(priceKinds),
  model: z.string().optional().describe('The model that the provider called, if it was not the requested one.'),
  tokens: z.int(),
  per_million: moneySchema,
  amount: moneySchema.describe(
    'Tokens times price. The sum of all lines times `price_factor`, rounded up to a billionth, is the cost.',
  ),
});

const toolLineSchema = z.strictObject({
  tool: z.string().describe('Name of a tool, or `unit:` and the unit that was counted instead of tokens.'),
  uses: z.int(),
  per_thousand: moneySchema,
  amount: moneySchema.describe('Uses times price. A part of the cost, like the other lines.'),
});

const ledgerLineSchema = z.strictObject({
  at: timeSchema,
  kind: z.string(),
  amount: moneySchema.describe('Negative for charges.'),
  by: z.string().describe('`recovery`: charged by the reaper, because the process expired.'),
  reason: z.string(),
  price_version: z.string().nullable(),
});

export const detailParts = [{ name: 'CostLine', schema: costLineSchema }];

/** A request in detail. Fields that only the record has are null if there is no record. */
export const detailFields = {
  ...requestFields,
  state: z.enum(requestStates).describe('`recorded` is the normal state. `explanation` describes the others.'),
  explanation: z.string(),
  started_at: requestFields.started_at.nullable(),
  key_id: requestFields.key_id.nullable(),
  site: requestFields.site.nullable(),
  surface: requestFields.surface.nullable(),
  requested_model: requestFields.requested_model.nullable(),
  status: requestFields.status.nullable(),
  duration_ms: requestFields.duration_ms.nullable(),
  client_gone: requestFields.client_gone.nullable(),
  ended_in_frame: z.boolean().nullable().describe('Whether an error was sent as a frame, after the status.'),
  queue_position: count.describe('Requests ahead of it when it entered the queue.'),
  cache_write_5m_tokens: count.describe('Writes to caches of up to 30 minutes; `cost_lines` has each lifetime.'),
  cache_write_1h_tokens: count.describe('Writes to caches of 1 hour and more.'),
  replay_of: z.string().nullable().describe('The request whose answer this retry got, at no cost.'),
  cost_lines: z.array(costLineSchema).describe('Calculation of the cost.'),
  price_factor: z.string().nullable().describe('The factor of the package, such as `1.20`. Null: no price is known.'),
  tool_lines: z.array(toolLineSchema).describe('Cost of tools that the provider ran, such as web searches.'),
  ledger: z.array(ledgerLineSchema),
  bodies: bodiesSchema,
};

type DetailDocument = z.input<z.ZodObject<typeof detailFields>>;

/** Everything except the bodies, which depend on the caller. */
export function detailDocument(detail: RequestDetail): Omit<DetailDocument, 'bodies'> {
  const { id, state, explanation, accountId, record } = detail;
  return {
    ...(record ? requestDocument(record) : nothingRecorded),
    id,
    state,
    explanation,
    started_at: isoTimeOrNull(detail.startedAt),
    account_id: accountId,
    key_id: detail.keyId ?? null,
    cost: detail.cost === undefined ? null : decimalText(detail.cost),
    price_version: detail.priceVersion ?? null,
    ended_in_frame: record ? record.status === 200 && record.errorCase !== undefined : null,
    queue_position: record?.queuePosition ?? null,
    cache_write_5m_tokens: record?.cacheWrite5mTokens ?? null,
    cache_write_1h_tokens: record?.cacheWrite1hTokens ?? null,
    replay_of: record?.replayOf ?? null,
    cost_lines: detail.costLines.map(({ kind, tokens, perToken, extraPlaces, model }) => ({
      kind,
      ...(model !== undefined && { model }),
      tokens: Number(tokens),
      per_million: unitsText(perToken, placesPerMillion + extraPlaces),
      amount: unitsText(tokens * perToken, picoPlaces + extraPlaces),
    })),
    price_factor: detail.factor === undefined ? null : unitsText(detail.factor, factorPlaces),
    tool_lines: detail.toolLines.map(({ tool, uses, perUse }) => ({
      tool,
      uses: Number(uses),
      per_thousand: unitsText(perUse, placesPerThousand),
      amount: unitsText(uses * perUse, picoPlaces),
    })),
    ledger: detail.ledger.map((line) => documentAs(ledgerLineSchema.shape, line)),
  };
}

/** A million tokens at one pico-unit each cost a millionth of a unit. */
export const placesPerMillion = 6;
/** The same for a thousand uses of a tool. */
export const placesPerThousand = 9;
export const picoPlaces = 12;
export const factorPlaces = 6;

export function attemptDocument(attempt: AttemptRecord): z.input<typeof attemptSchema> {
  const { model: upstreamModel, pauseMs: backoffMs = 0 } = attempt;
  return documentAs(attemptSchema.shape, { ...attempt, upstreamModel, backoffMs });
}

/** Attempts at the same upstream get the same number. */
export function ownAttempts(attempts: readonly AttemptRecord[]): z.input<typeof ownAttemptSchema>[] {
  const providers = [...new Set(attempts.map(({ upstream }) => upstream))];
  return attempts.map((attempt) => {
    const { upstream, pauseMs: backoffMs = 0, status, firstEventMs } = attempt;
    const provider = `provider ${providers.indexOf(upstream) + 1}`;
    const outcome = { statusClass: classOf(status), isAnswer: firstEventMs !== undefined };
    return documentAs(ownAttemptSchema.shape, { ...attempt, provider, backoffMs, ...outcome });
  });
}

function classOf(status: number | undefined) {
  return statusClasses[Math.floor((status ?? 0) / 100) - 1];
}

const nothingRecorded = {
  user_id: null,
  tags: [],
  site: null,
  surface: null,
  requested_model: null,
  model: null,
  status: null,
  error_case: null,
  error_detail: null,
  requested_whole: null,
  unwanted_stream: null,
  finish: null,
  prompt_tokens: null,
  completion_tokens: null,
  cached_tokens: null,
  reasoning_tokens: null,
  usage_source: null,
  wait_ms: null,
  first_byte_ms: null,
  duration_ms: null,
  client_gone: null,
};
