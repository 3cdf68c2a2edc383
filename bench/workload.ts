/**
 * The model's name selects how the fake upstream writes its answer. The name is the one part of a request that passes
 * every proxy unchanged, including the gateway.
 */
export type Workload = 'one-write' | 'separate-writes' | 'one-chunk' | 'paced' | 'held';

export const workloads: readonly Workload[] = ['one-write', 'separate-writes', 'one-chunk', 'paced', 'held'];

export const chunksPerAnswer = 20;

/**
 * Between two writes of `separate-writes`: long enough that every proxy here reads one chunk before the next one
 * arrives.
 */
export const separateGapMs = 4;

/** 20 chunks a second, the speed of a model. */
export const pacedGapMs = 50;

/** Between two chunks of a held stream. */
export const heldGapMs = 2_000;
