import { sql } from 'kysely';
import { type Day, dayMs, dayOf } from '../../../core/time/calendar-day.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Store } from '../../../platform/store/store.ts';
import { decodeAttempts } from '../attempt-record.ts';
import type { RequestPosition } from '../find-requests.ts';
import { everyAccount, storedValue } from '../rollups/rollup-dimensions.ts';
import type { ComparedRecord } from './compared-record.ts';
import { type ComparedUsage, type OwnLine, OwnUsage } from './own-usage.ts';

/** The usage of an upstream according to the records. */
export interface StoredUsage {
  readonly lines: readonly OwnLine[];
  /** Days of which records are missing, mostly because they expired, with the number of missing ones. */
  readonly missingRecords: ReadonlyMap<Day, number>;
}

/** Requests in memory at once. */
const rowsPerRead = 1000;
/** The longest time between the start of a request and its last attempt. */
const requestLengthMax = dayMs;

/** Adds up all records of the days. */
export async function readOwnUsage(store: Store, query: ComparedUsage): Promise<StoredUsage> {
  const usage = new OwnUsage(query);
  const recorded = new Map<Day, number>();
  for await (const record of comparedRecords(store, query)) {
    usage.add(record);
    const day = dayOf(record.startedAt);
    if (record.upstream === query.upstream) recorded.set(day, (recorded.get(day) ?? 0) + 1);
  }
  return { lines: usage.lines, missingRecords: await missingRecords(store, query, recorded) };
}

/** All records of the days, oldest first, read page by page. The store serves other calls between two pages. */
async function* comparedRecords(store: Store, query: ComparedUsage): AsyncGenerator<ComparedRecord, void> {
  for (let after: RequestPosition | undefined; ; ) {
    const records = await readPage(store, query, after);
    yield* records;
    after = records.at(-1);
    if (records.length < rowsPerRead) return;
  }
}

/** Requests with an attempt at the upstream, oldest first. Other requests that contain its name do no harm. */
async function readPage(
  { db }: Store,
  { upstream, from, to }: ComparedUsage,
  after: RequestPosition | undefined,
): Promise<readonly ComparedRecord[]> {
  const rows = await db
    .selectFrom('requests')
    .select([...comparedColumns, text('cost').as('cost'), text('provider_cost').as('provider_cost')])
    .where('started_at', '>=', after?.startedAt ?? from - requestLengthMax)
    .where('started_at', '<', to + dayMs)
    .$if(after !== undefined, (query) =>
      query.where((is) => is(is.refTuple('started_at', 'id'), '>', is.tuple(after?.startedAt ?? 0, after?.id ?? ''))),
    )
    .where((is) =>
      is.or([
        is('upstream', '=', upstream),
        is.and([is('attempts', '>', 1), sql<boolean>`attempt_log like ${`%${likeText(upstream)}%`} escape '!'`]),
      ]),
    )
    .orderBy('started_at')
    .orderBy('id')
    .limit(rowsPerRead)
    .execute();
  return rows.map(
    (row): ComparedRecord => ({
      id: row.id,
      startedAt: row.started_at,
      upstream: row.upstream ?? undefined,
      upstreamModel: row.upstream_model ?? undefined,
      promptTokens: row.prompt_tokens ?? undefined,
      completionTokens: row.completion_tokens ?? undefined,
      cachedTokens: row.cached_tokens ?? undefined,
      usageSource: row.usage_source ?? undefined,
      attempts: decodeAttempts(row.attempt_log),
      clientGone: row.client_gone === 1,
      notes: row.notes === null ? [] : (ownJson(row.notes) as string[]),
      cost: row.cost === null ? undefined : BigInt(row.cost),
      providerCost: row.provider_cost === null ? undefined : BigInt(row.provider_cost),
    }),
  );
}

const comparedColumns = [
  'id',
  'started_at',
  'upstream',
  'upstream_model',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'usage_source',
  'attempt_log',
  'client_gone',
  'notes',
] as const;

/** Money is read as text, because it may exceed a number. */
function text(column: 'cost' | 'provider_cost') {
  return sql<string | null>`cast(${sql.ref(column)} as text)`;
}

/** The name as it is in the JSON of the attempts, without wildcards. */
function likeText(upstream: string): string {
  return JSON.stringify(upstream).replaceAll(/[!%_]/g, '!$&');
}

/** The rollup of a day counts its requests, also those whose records were deleted. */
async function missingRecords(
  { db }: Store,
  { upstream, from, to }: ComparedUsage,
  recorded: ReadonlyMap<Day, number>,
): Promise<ReadonlyMap<Day, number>> {
  const rows = await db
    .selectFrom('usage_rollup_days')
    .select(['day', 'requests'])
    .where('account_id', '=', everyAccount)
    .where('dimension', '=', 'upstream')
    .where('value', '=', storedValue(upstream))
    .where('day', '>=', from)
    .where('day', '<=', to)
    .execute();
  const missing = rows.map(({ day, requests }) => [day, requests - (recorded.get(day) ?? 0)] as const);
  return new Map(missing.filter(([, count]) => count > 0));
}
