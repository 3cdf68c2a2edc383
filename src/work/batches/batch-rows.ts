import type { Kysely, Selectable } from 'kysely';
import type { Database } from '../../platform/store/database.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

export type BatchRow = Selectable<Database['batches']>;
export type LineRow = Selectable<Database['batch_lines']>;

/** A problem of a line of an input file. */
export interface LineProblem {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
  readonly line: number | null;
}

/** Sums over the lines of a batch. */
export interface BatchSums {
  readonly lines: number;
  /** Claimed by processes: they run, or wait for a slot. */
  readonly running: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly expired: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Nano-units. */
  readonly cost: bigint;
}

/** The sums so far. Once a batch has ended, its row has them, and its lines are gone. */
export async function sumsOf(db: Kysely<Database>, batch: BatchRow): Promise<BatchSums> {
  if (batch.ended_at !== null) return storedSums(batch);
  const rows = await db
    .selectFrom('batch_lines')
    .where('batch_id', '=', batch.id)
    .groupBy('state')
    .select((row) => [
      'state',
      row.fn.countAll().as('lines'),
      row.fn.sum('input_tokens').as('input'),
      row.fn.sum('cached_tokens').as('cached'),
      row.fn.sum('output_tokens').as('output'),
      row.fn.sum('reasoning_tokens').as('reasoning'),
      row.cast<string | null>(row.fn.sum('cost'), 'text').as('cost'),
    ])
    .execute();
  const total = (name: 'lines' | 'input' | 'cached' | 'output' | 'reasoning', states?: readonly string[]): number =>
    rows.reduce((sum, row) => (states && !states.includes(row.state) ? sum : sum + Number(row[name] ?? 0)), 0);
  return {
    lines: Math.max(batch.lines, total('lines')),
    running: total('lines', ['running']),
    succeeded: total('lines', ['succeeded']),
    failed: total('lines', ['failed', 'interrupted']),
    cancelled: total('lines', ['cancelled']),
    expired: total('lines', ['expired']),
    inputTokens: total('input'),
    cachedTokens: total('cached'),
    outputTokens: total('output'),
    reasoningTokens: total('reasoning'),
    cost: rows.reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n),
  };
}

function storedSums(batch: BatchRow): BatchSums {
  const { lines, succeeded, failed, cancelled, expired } = batch;
  return {
    lines,
    running: 0,
    succeeded,
    failed,
    cancelled,
    expired,
    inputTokens: batch.input_tokens,
    cachedTokens: batch.cached_tokens,
    outputTokens: batch.output_tokens,
    reasoningTokens: batch.reasoning_tokens,
    cost: BigInt(batch.cost),
  };
}

export function problemsOf({ problems }: BatchRow): readonly LineProblem[] {
  return problems === null ? [] : (ownJson(problems) as LineProblem[]);
}
