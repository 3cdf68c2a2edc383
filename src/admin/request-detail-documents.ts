import { z } from 'zod';
import { bodiesSchema } from './body-documents.ts';
import { decimalText, unitsText } from '../core/money.ts';
import type { AttemptRecord } from '../requests/attempt-record.ts';
import { requestDocument, requestFields } from './request-documents.ts';
import { type RequestDetail, requestStates } from './request-detail.ts';
import { isoTime, isoTimeOrNull, moneySchema, timeSchema } from './wire.ts';

const count = z.int().nullable();
const milliseconds = z.int().describe('Milliseconds since the request began.');

const attemptFields = {
  wait_ms: z.int().describe('How long it waited for its turn before it was sent.'),
  backoff_ms: z.int().describe('How long it paused before that, since the attempt before had failed.'),
  position: count.describe('How many waited before it when it came.'),
  began_ms: milliseconds,
  ended_ms: milliseconds,
  first_event_ms: milliseconds.nullable(),
};

/** Of an attempt, its owner sees how it went, not who it was. */
export const ownAttemptSchema = z.strictObject({
  provider: z.string().describe('`provider 1`, `provider 2`, … in the order they were asked.'),
  ...attemptFields,
  status_class: z.enum(['1xx', '2xx', '3xx', '4xx', '5xx']).nullable(),
  is_answer: z.boolean().describe('Whether the answer came from here.'),
});

export const attemptSchema = z.strictObject({
  upstream: z.string(),
  upstream_model: z.string(),
  credential: count.describe('Which of the credentials of the upstream was used, counted from 0.'),
  ...attemptFields,
  status: count.describe('What the provider answered with, if it did.'),
  error_case: z.string().nullable(),
  reason: z.string().nullable(),
});

const costLineSchema = z.strictObject({
  kind: z.enum(['input', 'cached_input', 'cache_write_5m', 'cache_write_1h', 'output']),
  tokens: z.int(),
  per_million: moneySchema,
  amount: moneySchema.describe('Tokens times price; the sum of all lines, rounded up to a billionth, is the cost.'),
});

const toolLineSchema = z.strictObject({
  tool: z.string().describe('The name of a tool, or `unit:` and what was counted instead of tokens.'),
  uses: z.int(),
  per_thousand: moneySchema,
  amount: moneySchema.describe('Uses times price, a part of the cost like the other lines.'),
});

const ledgerLineSchema = z.strictObject({
  at: timeSchema,
  kind: z.string(),
  amount: moneySchema.describe('What was spent is negative.'),
  by: z.string().describe('`recovery` charges what a process that died left behind.'),
  reason: z.string(),
  price_version: z.string().nullable(),
});

export const detailParts = [{ name: 'CostLine', schema: costLineSchema }];

/** The life of a request. What only a record can tell is null where there is none. */
export const detailFields = {
  ...requestFields,
  state: z.enum(requestStates).describe('`recorded` is the usual one; `explanation` says what the others mean.'),
  explanation: z.string(),
  started_at: requestFields.started_at.nullable(),
  key_id: requestFields.key_id.nullable(),
  site: requestFields.site.nullable(),
  surface: requestFields.surface.nullable(),
  requested_model: requestFields.requested_model.nullable(),
  status: requestFields.status.nullable(),
  duration_ms: requestFields.duration_ms.nullable(),
  client_gone: requestFields.client_gone.nullable(),
  ended_in_frame: z.boolean().nullable().describe('Whether an error came after the status was out, as a frame.'),
  queue_position: count.describe('How many waited before it when it came.'),
  cache_write_5m_tokens: count,
  cache_write_1h_tokens: count,
  replay_of: z.string().nullable().describe('The request whose answer this retry was given, at no cost.'),
  cost_lines: z.array(costLineSchema).describe('How the cost comes about.'),
  tool_lines: z.array(toolLineSchema).describe('What tools cost that the provider ran itself, such as web searches.'),
  ledger: z.array(ledgerLineSchema),
  bodies: bodiesSchema,
};

type DetailDocument = z.input<z.ZodObject<typeof detailFields>>;

/** Everything but the bodies, of which not everybody is told the same. */
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
    cost_lines: detail.costLines.map(({ kind, tokens, perToken }) => ({
      kind,
      tokens: Number(tokens),
      per_million: unitsText(perToken, placesPerMillion),
      amount: unitsText(tokens * perToken, picoPlaces),
    })),
    tool_lines: detail.toolLines.map(({ tool, uses, perUse }) => ({
      tool,
      uses: Number(uses),
      per_thousand: unitsText(perUse, placesPerThousand),
      amount: unitsText(uses * perUse, picoPlaces),
    })),
    ledger: detail.ledger.map((line) => ({
      at: isoTime(line.at),
      kind: line.kind,
      amount: decimalText(line.amount),
      by: line.by,
      reason: line.reason,
      price_version: line.priceVersion ?? null,
    })),
  };
}

/** A million tokens at a pico-unit each are a millionth of one unit. */
export const placesPerMillion = 6;
/** The same for a thousand uses of a tool. */
export const placesPerThousand = 9;
export const picoPlaces = 12;

export function attemptDocument(attempt: AttemptRecord): z.input<typeof attemptSchema> {
  return {
    upstream: attempt.upstream,
    upstream_model: attempt.model,
    credential: attempt.credential ?? null,
    ...timesOf(attempt),
    status: attempt.status ?? null,
    error_case: attempt.errorCase ?? null,
    reason: attempt.reason ?? null,
  };
}

/** The same upstream keeps its number. */
export function ownAttempts(trail: readonly AttemptRecord[]): z.input<typeof ownAttemptSchema>[] {
  const providers = [...new Set(trail.map(({ upstream }) => upstream))];
  return trail.map((attempt) => ({
    provider: `provider ${providers.indexOf(attempt.upstream) + 1}`,
    ...timesOf(attempt),
    status_class: classOf(attempt.status),
    is_answer: attempt.firstEventMs !== undefined,
  }));
}

function timesOf({ waitMs, pauseMs, position, beganMs, endedMs, firstEventMs }: AttemptRecord) {
  return {
    wait_ms: waitMs,
    backoff_ms: pauseMs ?? 0,
    position: position ?? null,
    began_ms: beganMs,
    ended_ms: endedMs,
    first_event_ms: firstEventMs ?? null,
  };
}

function classOf(status: number | undefined): z.input<typeof ownAttemptSchema>['status_class'] {
  const found = (['1xx', '2xx', '3xx', '4xx', '5xx'] as const)[Math.floor((status ?? 0) / 100) - 1];
  return found ?? null;
}

const nothingRecorded = {
  user_id: null,
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
