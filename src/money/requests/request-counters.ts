import { dayOf, hourOf } from '../../core/time/calendar-day.ts';
import type { ConstraintOutcome } from 'chat-formats/chat/guarantee.ts';
import { counterTable } from '../../platform/store/counters.ts';
import type { JobStatement } from '../../platform/store/job.ts';
import { performanceSums, samplesOf } from './rollups/performance.ts';
import { type RequestRecord, type RequestRow, startOf } from './request-record.ts';

/** Each outcome has a column of this name in `constraint_results`. */
export const outcomes = ['met', 'repaired', 'reprompted', 'violated'] as const satisfies readonly ConstraintOutcome[];
const noOutcomes = { met: 0, repaired: 0, reprompted: 0, violated: 0 };

const errorHours = counterTable('error_hours', { account_id: 'text', hour: 'bigint', error_case: 'text' }, [
  'requests',
]);
const cacheSavings = counterTable('cache_savings', { account_id: 'text', hour: 'bigint' }, ['amount']);
const modelCalls = counterTable('model_calls', { model: 'text' }, ['seen', 'parsed', 'repaired', 'failed']);
const constraintDays = counterTable(
  'constraint_results',
  { model: 'text', constraint_name: 'text', day: 'bigint' },
  outcomes,
);
const performance = counterTable(
  'performance_sums',
  { grain: 'text', start: 'bigint', upstream: 'text', model: 'text' },
  performanceSums,
);

/** Adds new requests, as rows and as records, to all counters but the rollups. */
export function addToCounters(rows: readonly RequestRow[], records: readonly RequestRecord[]): readonly JobStatement[] {
  return [
    ...errorHours.add(rows.flatMap(errorOf)),
    ...cacheSavings.add(records.flatMap(savingsOf)),
    // Last, because every process updates the same few rows and locks them until its commit.
    ...modelCalls.add(records.flatMap(callsOf)),
    ...constraintDays.add(records.flatMap(constraintsOf)),
    ...performance.add(performanceOf(records)),
  ];
}

function errorOf({ started_at: startedAt, account_id, error_case }: RequestRow) {
  return error_case === null ? [] : [{ account_id, hour: hourOf(startedAt), error_case, requests: 1 }];
}

function savingsOf({ startedAt, accountId, cacheSavings: amount }: RequestRecord) {
  return amount === undefined ? [] : [{ account_id: accountId, hour: hourOf(startedAt), amount }];
}

function callsOf({ model, calls }: RequestRecord) {
  return model === undefined || !calls || calls.seen === 0 ? [] : [{ model, ...calls }];
}

function constraintsOf({ startedAt, constraints = [] }: RequestRecord) {
  return constraints.map(({ model, constraint, outcome }) => ({
    model,
    constraint_name: constraint,
    day: dayOf(startedAt),
    ...noOutcomes,
    [outcome]: 1,
  }));
}

/** Days are added up from hours, because there are few of those. */
function performanceOf(records: readonly RequestRecord[]) {
  const samples = records.flatMap((record) => {
    const start = hourOf(startOf(record));
    return samplesOf(record).map(({ upstream, model, sums }) => ({ upstream, model, start, ...sums }));
  });
  const hours = performance.sum(samples.map((sample) => ({ ...sample, grain: 'hour' as const })));
  return [...hours, ...hours.map((hour) => ({ ...hour, grain: 'day' as const, start: dayOf(hour.start) }))];
}
