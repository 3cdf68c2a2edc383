import type { LineOutcome } from '../../core/line-outcome.ts';
import {
  type FieldValue,
  type Job,
  type JobStatement,
  jsonText,
  type Row,
  statementsFor,
  type Steps,
} from '../store/job.ts';
import { change, selection } from '../store/row-statements.ts';

/** The outcome of the request that runs a line now, and its cost in nano-units. */
export interface RequestOutcome {
  readonly requestId: string;
  readonly cost: bigint;
  readonly outcome: LineOutcome;
}

/** Reads and locks the lines that these requests still run. Another process may have taken a line over. */
export function currentRequests(requestIds: readonly string[]): readonly JobStatement[] {
  if (requestIds.length === 0) return [];
  return [{ statement: linesOfRequests, parameter: jsonText({ requests: requestIds }) }];
}

export function currentIn(rows: readonly Row[]): ReadonlySet<string> {
  return new Set(rows.flatMap(({ request_id: id, state }) => (state === 'interrupted' ? [] : [String(id)])));
}

export function outcomeStatements(outcomes: readonly RequestOutcome[]): readonly JobStatement[] {
  return statementsFor(writeOutcome, outcomes.map(fieldsOf));
}

/** The outcome of a line that cost nothing. A line with a charge gets its outcome with the charge. */
export const storingLineOutcome: Job<Omit<RequestOutcome, 'cost'>, void> = {
  module: import.meta.url,
  name: 'storingLineOutcome',
  *steps(uncharged): Steps<void> {
    const [rows = []] = yield currentRequests([uncharged.requestId]);
    const isRunning = rows.some(({ state }) => state === 'running');
    return { last: isRunning ? outcomeStatements([{ ...uncharged, cost: 0n }]) : [], result: undefined };
  },
};

const linesOfRequests = selection(
  'lines of requests',
  'select request_id, state from batch_lines where request_id in @requests order by request_id',
  'for update',
);

const writeOutcome = change(
  'batch_lines',
  { batch_id: 'text', line: 'integer', request_id: 'text' },
  {
    state: 'text',
    status: 'integer',
    input_tokens: 'bigint',
    cached_tokens: 'bigint',
    cache_write_tokens: 'bigint',
    output_tokens: 'bigint',
    reasoning_tokens: 'bigint',
    cost: 'bigint',
  },
);

function fieldsOf({ requestId, cost, outcome }: RequestOutcome): readonly FieldValue[] {
  const { batchId, line, state, status, inputTokens, cachedTokens, cacheWriteTokens } = outcome;
  const tokens = [inputTokens, cachedTokens, cacheWriteTokens, outcome.outputTokens, outcome.reasoningTokens];
  return [batchId, line, requestId, state, status, ...tokens, String(cost)];
}
