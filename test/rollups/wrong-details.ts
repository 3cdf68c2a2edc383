import { type Kysely, sql } from 'kysely';
import { sumRows } from '../../src/platform/store/counters.ts';
import type { Database } from '../../src/platform/store/database.ts';
import type { AttemptRecord } from '../../src/money/requests/attempt-record.ts';
import { recordColumns, recordOf } from '../../src/money/requests/find-requests.ts';
import { figure, type RequestRecord, rowOf } from '../../src/money/requests/request-record.ts';
import { compacted, type Histograms, histogramsOf } from '../../src/money/requests/rollups/histograms.ts';
import {
  type Dimension,
  dimensions,
  dimensionTerms,
  everyAccount,
  routeDimension,
  routeValue,
  storedOther,
  storedValue,
} from '../../src/money/requests/rollups/rollup-dimensions.ts';
import { noSums, readSums, type RollupSums, rollupSums, sumsOf } from '../../src/money/requests/rollups/usage-sums.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** A table of rollups, and the column with the start of the time span that each row covers. */
export interface RollupGrain {
  readonly table: 'usage_rollups' | 'usage_rollup_days';
  readonly start: 'hour' | 'day';
  readonly lengthMs: number;
}

interface RollupName {
  readonly account_id: string;
  readonly dimension: Dimension | typeof routeDimension;
  readonly start: number;
  readonly value: string;
}

type Rollup = RollupName & RollupSums;

const columns = {
  keys: ['account_id', 'dimension', 'start', 'value'],
  sums: [...rollupSums, 'histograms'],
} as const;

/**
 * Returns rollups whose calls, queue times, times to first token or tags differ from the requests, without hours that
 * exceeded the value limit. A speed is not stored with its request: the speeds must be the same along every dimension.
 */
export async function wrongDetails(db: Kysely<Database>, grain: RollupGrain): Promise<readonly RollupName[]> {
  const stored = await storedRollups(db, grain);
  const records = (await db.selectFrom('requests').select(recordColumns).execute()).map(recordOf);
  // The log of a request with very many attempts does not have all its calls.
  const isPartial = ({ attempts, attemptCount }: RequestRecord) =>
    attempts.length > 0 && attemptCount > attempts.length;
  const partial = new Set(records.filter(isPartial).map((record) => startOf(record, grain)));
  const folded = new Set(stored.flatMap((rollup) => (rollup.value === storedOther ? [spanOf(rollup)] : [])));
  const texts = (rollups: readonly Rollup[]) => new Map(rollups.map((rollup) => [nameOf(rollup), textOf(rollup)]));
  const [found, expected] = [
    texts(stored),
    texts(
      sumRows(
        columns,
        records.flatMap((each) => rollupsOf(each, grain)),
      ),
    ),
  ];
  const nothing = textOf(noSums());
  return [...new Set([...found.keys(), ...expected.keys()])]
    .filter((name) => (found.get(name) ?? nothing) !== (expected.get(name) ?? nothing))
    .map((name) => ownJson(name) as RollupName)
    .filter((name) => !folded.has(spanOf(name)) && !partial.has(name.start))
    .concat(withOtherSpeeds(stored));
}

async function storedRollups(db: Kysely<Database>, { table, start }: RollupGrain): Promise<readonly Rollup[]> {
  const sums = rollupSums.map((name) => sql`cast(${sql.ref(name)} as text) as ${sql.ref(name)}`);
  const { rows } = await sql<Record<keyof Rollup, string>>`
    select account_id, dimension, ${sql.ref(start)} as start, value, histograms, ${sql.join(sums)}
    from ${sql.table(table)}`.execute(db);
  return rows.map((row) => ({
    account_id: row.account_id,
    dimension: row.dimension as RollupName['dimension'],
    start: Number(row.start),
    value: row.value,
    ...readSums(rollupSums, (name) => row[name]),
    histograms: row.histograms,
  }));
}

/** The rollups to which one request is added, with its own sums. */
function rollupsOf(record: RequestRecord, grain: RollupGrain): readonly Rollup[] {
  const row = rowOf(record);
  const start = startOf(record, grain);
  const along = (upstream: string | null, sums: RollupSums) =>
    dimensions.flatMap((dimension) => {
      const { valuesOf, ofAccount, ofAll } = dimensionTerms[dimension];
      const owners = [...(ofAccount ? [row.account_id] : []), ...(ofAll ? [everyAccount] : [])];
      return valuesOf({ ...row, upstream, hour: start }).flatMap((value) =>
        owners.map((owner) => ({ account_id: owner, dimension, start, value: storedValue(value), ...sums })),
      );
    });
  const firstTokenMs = record.model === undefined ? null : firstTokenOf(record, record.firstByteMs);
  const histograms = histogramsOf({ queue_ms: row.wait_ms, first_token_ms: firstTokenMs });
  const calls = record.attempts.flatMap((attempt): readonly Rollup[] => {
    const sums = { ...noSums(), calls: 1, failed_calls: attempt.errorCase === undefined ? 0 : 1 };
    const value = storedValue(routeValue(attempt.upstream, attempt.model));
    const measured = { ...sums, histograms: routeHistograms(record, attempt) };
    return [
      ...along(attempt.upstream, sums),
      { account_id: everyAccount, dimension: routeDimension, start, value, ...measured },
    ];
  });
  return [...along(row.upstream, { ...sumsOf(row), histograms }), ...calls];
}

/** The time to first token of the answer's last call. */
function routeHistograms(record: RequestRecord, attempt: AttemptRecord): Histograms {
  const answers = record.attempts.filter((each) => each.errorCase === undefined && each.firstEventMs !== undefined);
  if (attempt !== answers.at(-1) || attempt.firstEventMs === undefined) return '';
  return histogramsOf({ first_token_ms: firstTokenOf(record, attempt.firstEventMs - attempt.beganMs) });
}

function firstTokenOf(record: RequestRecord, afterMs: number | undefined): number | null {
  const { replayOf, errorCase, clientGone, completionTokens = 0 } = record;
  const isMeasured = replayOf === undefined && errorCase === undefined && !clientGone && completionTokens > 0;
  return isMeasured ? figure(afterMs) : null;
}

/** Rollups of the dimensions whose speeds, over all values, are not those of the statuses. Also if values are folded. */
function withOtherSpeeds(stored: readonly Rollup[]): readonly RollupName[] {
  const isCompared = ({ dimension }: Rollup) => dimension !== 'tag' && dimension !== routeDimension;
  const spans = Map.groupBy(stored.filter(isCompared), spanOf);
  const speeds = (rollups: readonly Rollup[] = []) =>
    compacted(rollups.map(({ histograms }) => histograms).join(''), ['tokens_per_second']);
  return [...spans.values()].flatMap((rollups) => {
    const [first] = rollups;
    if (!first) return [];
    const { account_id, dimension, start } = first;
    const other = spans.get(spanOf({ account_id, dimension: 'status', start }));
    return speeds(rollups) === speeds(other) ? [] : [{ account_id, dimension, start, value: '' }];
  });
}

function startOf(record: RequestRecord, { lengthMs }: RollupGrain): number {
  return record.startedAt - (record.startedAt % lengthMs);
}

function spanOf({ account_id, dimension, start }: Omit<RollupName, 'value'>): string {
  return JSON.stringify([account_id, dimension, start]);
}

function nameOf({ account_id, dimension, start, value }: RollupName): string {
  return JSON.stringify({ account_id, dimension, start, value });
}

/** Equal details give equal texts. A tag has all sums here, because a request has its tags in one column. */
function textOf(rollup: RollupSums & Partial<RollupName>): string {
  const names = rollup.dimension === 'tag' ? rollupSums : (['calls', 'failed_calls'] as const);
  return [...names.map((name) => rollup[name]), compacted(rollup.histograms, ['queue_ms', 'first_token_ms'])].join(' ');
}
