import type { Demand } from './words.ts';

/** One request, as its client plans it. */
export interface Plan {
  readonly id: string;
  readonly atMs: number;
  readonly accountId: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly maxTokens: number;
  /** The constraint on the answer, if there is one. */
  readonly demands?: Demand | undefined;
  /** The client leaves after this time, however much it has received. */
  readonly leavesAfterMs?: number | undefined;
  /** The client stops reading after this many frames, without leaving. */
  readonly stopsReadingAfter?: number | undefined;
  /** Then it reads on after this time; never if undefined. */
  readonly readsOnAfterMs?: number | undefined;
  /** The id of the request that this one repeats exactly. */
  readonly retryOf?: string | undefined;
  /** The retry count that the client sends, as libraries do that retry by themselves. */
  readonly retryCount?: number | undefined;
  /** The `Idempotency-Key`, so that retries get the same answer. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the gateway tries the fast path first. If undefined, it does so for even ids. */
  readonly triesFastPath?: boolean | undefined;
}
