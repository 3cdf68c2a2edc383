import type { Insertable } from 'kysely';
import type { Nano } from '../../core/money.ts';
import type { ReachedLimit } from 'chat-formats/gateway-error.ts';
import type { RequestTrace } from '../../core/request-trace.ts';
import type { UsageSource } from 'chat-formats/chat/usage.ts';
import type { Database } from '../../platform/store/database.ts';
import { storableText } from '../../platform/store/job.ts';
import type { Columns } from '../../platform/store/row-statements.ts';
import { type AttemptRecord, encodeAttempts } from './attempt-record.ts';
import type { CallSums } from './rollups/call-sums.ts';
import type { RequestMeasurements, MeasuredConstraint } from './request-measurements.ts';

/** The record of one request: enough to explain it to a user who quotes its id, without any content. */
export interface RequestRecord {
  readonly id: string;
  readonly startedAt: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly userId: string | undefined;
  /** Labels of the client; absent if there are none. */
  readonly tags?: readonly string[] | undefined;
  readonly site: string;
  readonly surface: string;
  /** As the client wrote it; `model` is the catalog id that it resolved to. */
  readonly requestedModel: string;
  readonly model: string | undefined;
  readonly upstream: string | undefined;
  readonly upstreamModel: string | undefined;
  readonly status: number;
  readonly errorCase: string | undefined;
  /** Detail in addition to the text of the error case, such as the invalid field. */
  readonly errorDetail: string | undefined;
  /** The limit that refused it. For alerts, not stored. */
  readonly reachedLimit?: ReachedLimit | undefined;
  readonly finish: string | undefined;
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly cacheWrite5mTokens: number | undefined;
  readonly cacheWrite1hTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  /** How often the provider ran each of its own tools, by name. */
  readonly toolUses: Readonly<Record<string, number>> | undefined;
  readonly usageSource: UsageSource | undefined;
  readonly attemptCount: number;
  /** The attempts; of very many, the first ones and the last. */
  readonly attempts: readonly AttemptRecord[];
  /** Queue length when it arrived. */
  readonly queuePosition: number | undefined;
  readonly waitMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
  readonly clientGone: boolean;
  /** Whether the client requested one JSON body; `undefined` if the request could not be read. */
  readonly requestedWhole: boolean | undefined;
  /** Whether it received a stream instead, which its client may not be able to read. */
  readonly unwantedStream: boolean | undefined;
  /** Anomalies of the answer, and repairs. */
  readonly notes: readonly string[];
  /** The charge; `undefined` if the request was not charged. */
  readonly cost: Nano | undefined;
  readonly priceVersion: string | undefined;
  /** The calculation of the cost, if it does not follow from the token counts and the price version. */
  readonly costLines?: string | undefined;
  /** The provider's charge; absent if no route has a cost. */
  readonly providerCost?: Nano | undefined;
  /** Savings of its account through prompt caches, if any. Added to sums, not stored with the request. */
  readonly cacheSavings?: Nano | undefined;
  /** The request whose answer was replayed at no cost. */
  readonly replayOf: string | undefined;
  /** Its tool calls. Counted per model, not stored with the request. */
  readonly calls?: CallSums | undefined;
  /** Results of the enforced constraints in its answers. Counted per model, not stored with the request. */
  readonly constraints?: readonly MeasuredConstraint[] | undefined;
  /** When the answer ended, in milliseconds since the request began. Counted per model, not stored. */
  readonly answeredMs?: number | undefined;
  /** Models that failed before a fallback was used; absent if there are none. Counted per model. */
  readonly failedModels?: readonly string[] | undefined;
  /** For metrics, not stored: its account's package, and how long its client took to send the body. */
  readonly packageName?: string;
  readonly uploadMs?: number;
  readonly measured?: RequestMeasurements | undefined;
  /** Its trace, if it is sampled. */
  readonly trace?: RequestTrace | undefined;
}

/** A request as inserted, with every column. */
export type RequestRow = Required<Insertable<Database['requests']>>;

/** Clients may send a model name of any length. The log keeps as much as a real name can have. */
const requestedModelLengthMax = 256;
/** Longer than any of our error texts, except a list of very many fields. */
const detailLengthMax = 1000;
/** No real count or duration is larger, and an hour with millions of such values can still be summed. */
const figureMax = 1e12;

/** Accepts any numbers: one bad row must not keep its whole batch out of the log. */
export function rowOf(record: RequestRecord): RequestRow {
  return {
    id: record.id,
    started_at: startOf(record),
    account_id: record.accountId,
    key_id: record.keyId,
    user_id: record.userId === undefined ? null : storableText(record.userId),
    site: record.site,
    surface: record.surface,
    requested_model: storableText(record.requestedModel.slice(0, requestedModelLengthMax)),
    model: record.model ?? null,
    upstream: record.upstream ?? null,
    upstream_model: record.upstreamModel ?? null,
    status: figure(record.status) ?? 0,
    error_case: record.errorCase ?? null,
    finish: record.finish ?? null,
    prompt_tokens: figure(record.promptTokens),
    completion_tokens: figure(record.completionTokens),
    cached_tokens: figure(record.cachedTokens),
    reasoning_tokens: figure(record.reasoningTokens),
    usage_source: record.usageSource ?? null,
    attempts: figure(record.attemptCount) ?? 0,
    wait_ms: figure(record.waitMs),
    first_byte_ms: figure(record.firstByteMs),
    duration_ms: figure(record.durationMs) ?? 0,
    client_gone: record.clientGone ? 1 : 0,
    notes: record.notes.length > 0 ? JSON.stringify(record.notes) : null,
    cost: record.cost ?? null,
    price_version: record.priceVersion ?? null,
    cost_lines: record.costLines ?? null,
    queue_position: figure(record.queuePosition),
    cache_write_5m_tokens: figure(record.cacheWrite5mTokens),
    cache_write_1h_tokens: figure(record.cacheWrite1hTokens),
    attempt_log: encodeAttempts(record.attempts),
    replay_of: record.replayOf ?? null,
    error_detail: record.errorDetail === undefined ? null : storableText(record.errorDetail.slice(0, detailLengthMax)),
    requested_whole: bit(record.requestedWhole),
    unwanted_stream: bit(record.unwantedStream),
    tool_uses: record.toolUses ? JSON.stringify(record.toolUses) : null,
    provider_cost: record.providerCost ?? null,
    tags: storedTags(record.tags),
  };
}

/** Every column, in the order of `rowOf`. */
export const requestColumns: Readonly<Record<keyof RequestRow, Columns[string]>> = {
  id: 'text',
  started_at: 'bigint',
  account_id: 'text',
  key_id: 'text',
  user_id: 'text',
  site: 'text',
  surface: 'text',
  requested_model: 'text',
  model: 'text',
  upstream: 'text',
  upstream_model: 'text',
  status: 'integer',
  error_case: 'text',
  finish: 'text',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  cached_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  usage_source: 'text',
  attempts: 'integer',
  wait_ms: 'bigint',
  first_byte_ms: 'bigint',
  duration_ms: 'bigint',
  client_gone: 'integer',
  notes: 'text',
  cost: 'bigint',
  price_version: 'text',
  cost_lines: 'text',
  queue_position: 'integer',
  cache_write_5m_tokens: 'bigint',
  cache_write_1h_tokens: 'bigint',
  attempt_log: 'text',
  replay_of: 'text',
  error_detail: 'text',
  requested_whole: 'integer',
  unwanted_stream: 'integer',
  tool_uses: 'text',
  provider_cost: 'bigint',
  tags: 'text',
};

/** One tag per line. */
function storedTags(tags: readonly string[] | undefined): string | null {
  return tags === undefined || tags.length === 0 ? null : storableText(tags.join('\n'));
}

export function readTags(stored: string | null): readonly string[] {
  return stored === null ? [] : stored.split('\n');
}

function bit(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

/** Start time of a request, as stored. */
export function startOf({ startedAt }: Pick<RequestRecord, 'startedAt'>): number {
  return wholeNumber(startedAt, Number.MAX_SAFE_INTEGER) ?? 0;
}

/** A count or a duration that can be stored and summed; null if it is not a finite number. */
export function figure(value: number | undefined): number | null {
  return wholeNumber(value, figureMax);
}

function wholeNumber(value: number | undefined, max: number): number | null {
  if (value === undefined || !Number.isFinite(value)) return null;
  return Math.min(Math.max(Math.round(value), 0), max);
}
