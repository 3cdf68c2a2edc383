import { hourOf } from '../../../core/time/calendar-day.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import { type CounterColumns, fieldsOf, sumRows } from '../../../platform/store/counters.ts';
import { figure, type RequestRecord, type RequestRow } from '../request-record.ts';
import { type Histograms, histogramsOf } from './histograms.ts';
import { asCalled, type Sample, samplesOf } from './performance.ts';
import { firstSums, noSums, readSums, type RollupSums, rollupSums, sumsOf } from './usage-sums.ts';

/** Key of a group: its hour, and all dimensions of usage. Null if the requests have no value. */
export type GroupName = Readonly<Record<'account_id' | 'key_id', string>> &
  Readonly<Record<'hour' | 'status', number>> &
  Readonly<Record<'model' | 'user_id' | 'upstream' | 'error_case' | 'upstream_model' | 'tags', string | null>>;

/** Sums of requests that have the same value in every dimension. */
export type UsageGroup = GroupName & RollupSums & { readonly call_histograms: Histograms };

const firstKeys = ['account_id', 'hour', 'key_id', 'model', 'user_id', 'upstream', 'status', 'error_case'] as const;
/** Written after the sums: processes of an earlier version read only the fields before them. */
const lastFields = ['histograms', 'call_histograms', 'upstream_model', 'tags', 'unwanted_streams'] as const;
const columns: CounterColumns<UsageGroup> = {
  keys: [...firstKeys, 'upstream_model', 'tags'],
  sums: [...rollupSums, 'histograms', 'call_histograms'],
};
const written: CounterColumns<UsageGroup> = { keys: firstKeys, sums: [...firstSums, ...lastFields] };

/** The groups of requests, given as rows and as records. */
export function groupsOf(rows: readonly RequestRow[], records: readonly RequestRecord[]): readonly UsageGroup[] {
  return sumRows(
    columns,
    rows.flatMap((row, index) => {
      const record = records[index];
      return record ? groupsOfRequest(row, record) : [];
    }),
  );
}

/** A request counts for the upstream that answered it. Each of its calls counts for the upstream that was called. */
function groupsOfRequest(row: RequestRow, record: RequestRecord): readonly UsageGroup[] {
  const { account_id, key_id, model, user_id, upstream, upstream_model, status, error_case } = row;
  const name = { account_id, hour: hourOf(row.started_at), key_id, model, user_id, status, error_case, tags: row.tags };
  const samples = samplesOf(record);
  const answer = samples.find((sample) => sample.upstream === asCalled && sample.sums.answered > 0);
  const histograms = histogramsOf({ queue_ms: figure(record.waitMs), ...(answer && measuredIn(answer)) });
  const calls = record.attempts.map((attempt) => ({
    ...noSums(),
    ...name,
    upstream: attempt.upstream,
    upstream_model: attempt.model,
    calls: 1,
    failed_calls: attempt.errorCase === undefined ? 0 : 1,
    call_histograms: '',
  }));
  const answers = samples.filter((sample) => sample.upstream !== asCalled && sample.sums.answered > 0);
  const measured = answers.map((sample) => ({
    ...noSums(),
    ...name,
    upstream: sample.upstream,
    upstream_model: sample.model,
    call_histograms: histogramsOf(measuredIn(sample)),
  }));
  return [
    { ...name, upstream, upstream_model, ...sumsOf(row), histograms, call_histograms: '' },
    ...calls,
    ...measured,
  ];
}

function measuredIn({ sums }: Sample) {
  return {
    first_token_ms: sums.timed === 0 ? null : sums.first_token_ms,
    tokens_per_second: sums.paced === 0 ? null : (sums.tokens * 1000) / sums.generation_ms,
  };
}

/** Serialises groups compactly: every batch of requests writes one. */
export function encodeGroups(groups: readonly UsageGroup[]): string {
  return JSON.stringify(groups.map((group) => fieldsOf(written, group)));
}

export function decodeGroups(text: string): readonly UsageGroup[] {
  const rows = ownJson(text) as readonly (readonly (string | number | null)[])[];
  return rows.map((row) => {
    const [histograms, callHistograms, upstreamModel, tags, unwanted] = row.slice(firstKeys.length + firstSums.length);
    return {
      ...(Object.fromEntries(firstKeys.map((key, index) => [key, row[index]])) as unknown as GroupName),
      ...readSums(firstSums, (_, index) => row[firstKeys.length + index] ?? 0),
      histograms: String(histograms ?? ''),
      call_histograms: String(callHistograms ?? ''),
      upstream_model: upstreamModel === undefined ? null : (upstreamModel as string | null),
      tags: tags === undefined ? null : (tags as string | null),
      unwanted_streams: Number(unwanted ?? 0),
    };
  });
}
