import type { RequestRecord } from '../requests/request-record.ts';
import { searchRequests } from '../requests/search-requests.ts';
import { csvLine, harmless } from './csv.ts';
import { named } from './names.ts';
import type { AdminParts } from './parts.ts';
import { requestDocument } from './request-documents.ts';
import { type RequestQuery, searchOf } from './request-pages.ts';

/** So many rows are in memory at a time, however many a table has and however slowly it is read. */
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

/** What only operators are told. */
const routingColumns = ['upstream', 'upstream_model', 'attempts'] as const;

type Cells = Readonly<Record<string, string | number | boolean | null>>;

/** Every request that matches, newest first, as RFC 4180 has it, in pieces: up to this moment, so that it has an end. */
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
    attempts: record?.attemptCount ?? null,
  };
}

function lineOf(cells: Cells, names: readonly string[]): string {
  return csvLine(names.map((name) => textOf(cells[name])));
}

/** Numbers and money are ours; of everything else a client may have written it. */
function textOf(value: Cells[string] | undefined): string {
  return typeof value === 'string' ? harmless(value) : String(value ?? '');
}
