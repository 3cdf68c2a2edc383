import type { RequestRecord } from '../../requests/request-record.ts';
import { searchRequests } from '../../requests/search-requests.ts';
import { csvLine, escapeFormula } from '../api/csv.ts';
import { named } from '../names.ts';
import type { AdminParts } from '../parts.ts';
import { requestDocument } from './request-documents.ts';
import { type RequestQuery, searchOf } from './request-pages.ts';

/** Maximum number of rows in memory, for any table size and reading speed. */
const rowsPerRead = 1000;

const columns = [
  'started_at',
  'id',
  'account_id',
  'account_name',
  'key_id',
  'key_name',
  'user_id',
  'site',
  'surface',
  'requested_model',
  'model',
  'status',
  'error_case',
  'finish',
  'prompt_tokens',
  'cached_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'usage_source',
  'cost',
  'currency',
  'wait_ms',
  'first_byte_ms',
  'duration_ms',
  'client_gone',
] as const;

/** Visible to operators only. */
const routingColumns = ['upstream', 'upstream_model', 'attempt_count'] as const;

type Cells = Readonly<Record<string, string | number | boolean | null>>;

/** All matching requests as RFC 4180 CSV, newest first. Requests after this moment are left out, so that it ends. */
export async function* requestCsv(
  parts: AdminParts,
  { until, ...query }: RequestQuery,
  { withRouting }: { readonly withRouting: boolean },
): AsyncGenerator<string> {
  const names = withRouting ? [...columns, ...routingColumns] : columns;
  const now = parts.clock.now();
  const search = {
    ...(await searchOf(parts.store, { ...query, until: Math.min(until ?? Number.POSITIVE_INFINITY, now + 1) })),
    order: 'newest',
    limit: rowsPerRead,
  } as const;
  let text = `${names.join(',')}\r\n`;
  for (let after: Awaited<ReturnType<typeof searchRequests>>['next']; ; ) {
    const { records, next } = await searchRequests(parts.store, { ...search, after }, now);
    const rows = await named(parts.store, records.map(requestDocument));
    const currency = parts.currency();
    rows.forEach((row, index) => {
      text += `${lineOf({ ...row, currency, ...routingOf(records[index]) }, names)}\r\n`;
    });
    yield text;
    if (next === undefined) return;
    after = next;
    text = '';
  }
}

function routingOf(record: RequestRecord | undefined): Cells {
  return {
    upstream: record?.upstream ?? null,
    upstream_model: record?.upstreamModel ?? null,
    attempt_count: record?.attemptCount ?? null,
  };
}

function lineOf(cells: Cells, names: readonly string[]): string {
  return csvLine(names.map((name) => textOf(cells[name])));
}

/** Numbers and money come from the gateway. Any other text may come from a client. */
function textOf(value: Cells[string] | undefined): string {
  return typeof value === 'string' ? escapeFormula(value) : String(value ?? '');
}
