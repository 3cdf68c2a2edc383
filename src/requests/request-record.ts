import type { Insertable } from 'kysely';
import type { Nano } from '../core/money.ts';
import type { RequestTrace } from '../core/request-trace.ts';
import type { UsageSource } from '../core/usage.ts';
import type { RequestsTable } from '../store/tables/requests.ts';
import { type AttemptRecord, trailText } from './attempt-record.ts';
import type { CallSums } from './call-sums.ts';
import type { RequestMeasurements, MeasuredConstraint } from './measured.ts';

/** Everything that is remembered of one request: enough to explain it to whoever quotes its id, nothing of what was said. */
export interface RequestRecord {
  readonly id: string;
  readonly startedAt: number;
  readonly accountId: string;
  readonly keyId: string;
  readonly userId: string | undefined;
  readonly site: string;
  readonly surface: string;
  /** As the client wrote it; `model` is the catalog id it led to. */
  readonly askedModel: string;
  readonly model: string | undefined;
  readonly upstream: string | undefined;
  readonly upstreamModel: string | undefined;
  readonly status: number;
  readonly errorCase: string | undefined;
  /** What it was told beside the words of its case, such as the field that breaks a rule. */
  readonly errorDetail: string | undefined;
  readonly finish: string | undefined;
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
  readonly cachedTokens: number | undefined;
  readonly cacheWrite5mTokens: number | undefined;
  readonly cacheWrite1hTokens: number | undefined;
  readonly reasoningTokens: number | undefined;
  /** How often the provider ran tools of its own, by their names. */
  readonly toolUses: Readonly<Record<string, number>> | undefined;
  readonly usageSource: UsageSource | undefined;
  readonly attempts: number;
  /** What happened at each upstream; of very many attempts the first ones and the last. */
  readonly trail: readonly AttemptRecord[];
  /** How many waited before it when it came. */
  readonly queuePosition: number | undefined;
  readonly waitMs: number | undefined;
  readonly firstByteMs: number | undefined;
  readonly durationMs: number;
  readonly clientGone: boolean;
  /** Whether one JSON body was asked for; nothing is said of a request that could not be read. */
  readonly askedWhole: boolean | undefined;
  /** Whether it got a stream all the same, which its client may not be able to read. */
  readonly unwantedStream: boolean | undefined;
  /** What was odd about the answer and what was repaired. */
  readonly notes: readonly string[];
  /** What was charged; nothing is said of a request that was not. */
  readonly cost: Nano | undefined;
  readonly priceVersion: string | undefined;
  /** What its provider charges us; nothing is said where no route says what it costs. */
  readonly providerCost?: Nano | undefined;
  /** What prompt caches spared its account, if anything. Summed up, and not kept with the request. */
  readonly cacheSavings?: Nano | undefined;
  /** The request whose answer it was given again, at no cost. */
  readonly replayOf: string | undefined;
  /** Its tool calls. They are counted for the model and not kept with the request. */
  readonly calls?: CallSums | undefined;
  /** What became of the promises that were watched over in its answers. Counted for the models, and not kept either. */
  readonly promises?: readonly MeasuredConstraint[] | undefined;
  /** When its provider had said everything, in milliseconds since it began. Counted for the model, and not kept either. */
  readonly answeredMs?: number | undefined;
  /** Models that failed before another one was asked; none if not said. Counted as well. */
  readonly failedModels?: readonly string[] | undefined;
  /** The package of its account, and how long its client took to send its body. Measured, and not kept either. */
  readonly packageName?: string;
  readonly bodyMs?: number;
  readonly measured?: RequestMeasurements | undefined;
  /** Its trace, if it is traced. */
  readonly trace?: RequestTrace | undefined;
}

/** A request as it is inserted: every column said. */
export type RequestRow = Required<Insertable<RequestsTable>>;

/** Clients may write anything of any length as a model; the log keeps as much as a model's name can have. */
const askedModelLengthMax = 256;
/** Longer than any sentence of ours, but for a list of very many fields. */
const detailLengthMax = 1000;
/** No count and no duration is honestly larger; and an hour of millions of such can still be summed. */
const figureMax = 1e12;

/** Accepts whatever numbers come: one bad row must not keep its whole batch out of the log. */
export function rowOf(record: RequestRecord): RequestRow {
  return {
    id: record.id,
    started_at: startOf(record),
    account_id: record.accountId,
    key_id: record.keyId,
    user_id: record.userId === undefined ? null : storable(record.userId),
    site: record.site,
    surface: record.surface,
    asked_model: storable(record.askedModel.slice(0, askedModelLengthMax)),
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
    attempts: figure(record.attempts) ?? 0,
    wait_ms: figure(record.waitMs),
    first_byte_ms: figure(record.firstByteMs),
    duration_ms: figure(record.durationMs) ?? 0,
    client_gone: record.clientGone ? 1 : 0,
    notes: record.notes.length > 0 ? JSON.stringify(record.notes) : null,
    cost: record.cost ?? null,
    price_version: record.priceVersion ?? null,
    queue_position: figure(record.queuePosition),
    cache_write_5m_tokens: figure(record.cacheWrite5mTokens),
    cache_write_1h_tokens: figure(record.cacheWrite1hTokens),
    trail: trailText(record.trail),
    replay_of: record.replayOf ?? null,
    error_detail: record.errorDetail === undefined ? null : storable(record.errorDetail.slice(0, detailLengthMax)),
    asked_whole: bit(record.askedWhole),
    unwanted_stream: bit(record.unwantedStream),
    tool_uses: record.toolUses ? JSON.stringify(record.toolUses) : null,
    provider_cost: record.providerCost ?? null,
    // What it adds to the usage is noted along with it.
    sliced: 1,
  };
}

/** The same in both engines: PostgreSQL has no place for NUL in a text, nor either of them for half a character. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{FFFD}');
}

function bit(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

/** When a request began, as it is stored. */
export function startOf({ startedAt }: Pick<RequestRecord, 'startedAt'>): number {
  return whole(startedAt, Number.MAX_SAFE_INTEGER) ?? 0;
}

/** A count or a duration as it can be stored and summed; null if it is none. */
export function figure(value: number | undefined): number | null {
  return whole(value, figureMax);
}

function whole(value: number | undefined, max: number): number | null {
  if (value === undefined || !Number.isFinite(value)) return null;
  return Math.min(Math.max(Math.round(value), 0), max);
}
