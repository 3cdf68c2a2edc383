import type { Nano } from '../../../core/money.ts';
import { addSums as addCounterSums } from '../../../platform/store/counters.ts';
import type { RequestRow } from '../request-record.ts';
import type { Histograms } from './histograms.ts';

const countSums = [
  'requests',
  'errors',
  'client_gone',
  'answered',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
] as const;
const timeSums = ['wait_ms', 'first_byte_ms', 'duration_ms'] as const;

/** The sums that the first version of rollup deltas had, in their order. */
export const firstSums = [
  ...countSums,
  'cost',
  'provider_cost',
  // Charges for the requests whose provider cost is known.
  'costed',
  ...timeSums,
  // Attempts at upstreams, and the failed ones among them.
  'calls',
  'failed_calls',
] as const;

/** The sums of a rollup. Unwanted streams are requests for one JSON body that received a stream. */
export const rollupSums = [...firstSums, 'unwanted_streams'] as const;

export type SumName = (typeof rollupSums)[number];
type MoneySum = 'cost' | 'provider_cost' | 'costed';

/** Sums over requests, for any grouping. */
type RequestSums = Record<Exclude<SumName, MoneySum>, number> & Record<MoneySum, Nano>;
export type RollupSums = RequestSums & { readonly histograms: Histograms };

/** The sums of a request without its calls. */
export function sumsOf(row: RequestRow): RequestSums {
  const { cost, provider_cost: providerCost } = row;
  return {
    requests: 1,
    errors: row.error_case === null ? 0 : 1,
    client_gone: row.client_gone,
    answered: row.first_byte_ms === null ? 0 : 1,
    prompt_tokens: row.prompt_tokens ?? 0,
    completion_tokens: row.completion_tokens ?? 0,
    cached_tokens: row.cached_tokens ?? 0,
    reasoning_tokens: row.reasoning_tokens ?? 0,
    cost: cost ?? 0n,
    provider_cost: providerCost ?? 0n,
    costed: providerCost === null ? 0n : (cost ?? 0n),
    wait_ms: row.wait_ms ?? 0,
    first_byte_ms: row.first_byte_ms ?? 0,
    duration_ms: row.duration_ms,
    calls: 0,
    failed_calls: 0,
    unwanted_streams: row.unwanted_stream ?? 0,
  };
}

export function noSums(): RollupSums {
  return { ...readSums(rollupSums, () => 0), histograms: '' };
}

/** Histograms are added by appending one to the other. */
export function addSums(to: RollupSums, more: RollupSums): void {
  addCounterSums<RollupSums>([...rollupSums, 'histograms'], to, more);
}

/** Reads sums from text or numbers, such as those of a row of the store. */
export function readSums<Name extends SumName>(
  names: readonly Name[],
  valueOf: (name: Name, index: number) => string | number,
): Pick<RequestSums, Name> {
  const read = (name: Name, index: number) => (isMoney(name) ? BigInt : Number)(valueOf(name, index));
  return Object.fromEntries(names.map((name, index) => [name, read(name, index)])) as Pick<RequestSums, Name>;
}

function isMoney(name: SumName): name is MoneySum {
  return name === 'cost' || name === 'provider_cost' || name === 'costed';
}
