import type { Insertable } from 'kysely';
import type { UsageHoursTable, UsageTotalsTable } from '../store/tables/usage.ts';
import { type JobStatement, statementsFor, type FieldValue } from '../store/job.ts';
import { addition } from '../store/row-statements.ts';
import type { RequestRow } from './request-record.ts';
import { addSums, countSums, sumsOf, timeSums } from './usage-sums.ts';

type UsageHour = Insertable<UsageHoursTable>;
type UsageTotal = Insertable<UsageTotalsTable>;

export const hourMs = 3_600_000;

/** The columns that are summed; the others are the key. */
export const usageSums = [...countSums, 'cost', ...timeSums, 'unwanted_streams'] as const;

/** Sums requests by hour, account, key, model and site. The order is fixed, so that two processes cannot deadlock. */
export function hoursOf(rows: readonly RequestRow[]): readonly UsageHour[] {
  const hours = new Map<string, UsageHour>();
  for (const row of rows) {
    const start = hourOf(row.started_at);
    const name = `${row.account_id}\0${start}\0${row.key_id}\0${row.model ?? ''}\0${row.site}`;
    const hour = hours.get(name);
    if (hour) addTotal(hour, sumsWithStreams(row));
    else hours.set(name, firstOf(row, start));
  }
  return [...hours.keys()].sort().map((name) => hours.get(name) as UsageHour);
}

/** Start of the hour of a time. */
export function hourOf(at: number): number {
  return at - (at % hourMs);
}

/** Adds sums to the existing hours. */
export function addHours(hours: readonly UsageHour[]): readonly JobStatement[] {
  return statementsFor(
    additionToHours,
    hours.map((hour) => [hour.account_id, hour.hour, hour.key_id, hour.model, hour.site, ...fieldsOf(hour)]),
  );
}

const hourKeys = { account_id: 'text', hour: 'bigint', key_id: 'text', model: 'text', site: 'text' } as const;
const additionToHours = addition('usage_hours', hourKeys, usageSums);

/** Adds sums over all accounts, keys and sites to the existing totals. */
export function addTotals(hours: readonly UsageHour[]): readonly JobStatement[] {
  return statementsFor(
    additionToTotals,
    totalsOf(hours).map((total) => [total.hour, total.model, ...fieldsOf(total)]),
  );
}

const additionToTotals = addition('usage_totals', { hour: 'bigint', model: 'text' }, usageSums);

function fieldsOf(sums: UsageTotal): readonly FieldValue[] {
  return usageSums.map((name) => (name === 'cost' ? String(sums.cost) : sums[name]));
}

/** Sums over all accounts, keys and sites, by hour and model. The order is fixed, as above. */
function totalsOf(hours: readonly UsageHour[]): readonly UsageTotal[] {
  const totals = new Map<string, UsageTotal>();
  for (const { account_id: _account, key_id: _key, site: _site, ...hour } of hours) {
    const name = `${hour.hour}\0${hour.model}`;
    const known = totals.get(name);
    if (known) addTotal(known, hour);
    else totals.set(name, hour);
  }
  return [...totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
}

function firstOf(row: RequestRow, hour: number): UsageHour {
  const { account_id, key_id, model, site } = row;
  return { hour, account_id, key_id, model: model ?? '', site, ...sumsWithStreams(row) };
}

function sumsWithStreams(row: RequestRow) {
  return { ...sumsOf(row), unwanted_streams: row.unwanted_stream ?? 0 };
}

function addTotal(total: UsageTotal, more: Omit<UsageTotal, 'hour' | 'model'>): void {
  addSums(total, more);
  total.unwanted_streams += more.unwanted_streams;
}
