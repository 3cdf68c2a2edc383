import type { Nano } from '../core/money.ts';
import type { RequestRow } from './request-record.ts';

/** The counts and times that are summed. */
export const countSums = [
  'requests',
  'errors',
  'client_gone',
  'answered',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
] as const;
export const timeSums = ['wait_ms', 'first_byte_ms', 'duration_ms'] as const;

/** Sums over requests, for any grouping. */
export type RequestSums = Record<(typeof countSums)[number] | (typeof timeSums)[number], number> & { cost: Nano };

/** The columns of a request that are summed. */
export type SummedRow = Pick<
  RequestRow,
  | 'error_case'
  | 'client_gone'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'cached_tokens'
  | 'reasoning_tokens'
  | 'cost'
  | (typeof timeSums)[number]
>;

/** The sums of one request. */
export function sumsOf(row: SummedRow): RequestSums {
  return {
    requests: 1,
    errors: row.error_case === null ? 0 : 1,
    client_gone: row.client_gone,
    answered: row.first_byte_ms === null ? 0 : 1,
    prompt_tokens: row.prompt_tokens ?? 0,
    completion_tokens: row.completion_tokens ?? 0,
    cached_tokens: row.cached_tokens ?? 0,
    reasoning_tokens: row.reasoning_tokens ?? 0,
    cost: row.cost ?? 0n,
    wait_ms: row.wait_ms ?? 0,
    first_byte_ms: row.first_byte_ms ?? 0,
    duration_ms: row.duration_ms,
  };
}

export function addSums(to: RequestSums, more: RequestSums): void {
  for (const name of countSums) to[name] += more[name];
  for (const name of timeSums) to[name] += more[name];
  to.cost += more.cost;
}
