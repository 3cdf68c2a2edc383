/**
 * The model's name tells the fake upstream how to write its answer. A name is the one part of a request that survives
 * every proxy, the gateway included.
 */
export type Workload = 'one-write' | 'separate-writes' | 'one-chunk' | 'paced' | 'held';

export const workloads: readonly Workload[] = ['one-write', 'separate-writes', 'one-chunk', 'paced', 'held'];

export const chunksPerAnswer = 20;

/** Between two writes of `separate-writes`: long enough that every proxy here reads one chunk before the next comes. */
export const separateGapMs = 4;

/** 20 chunks a second, the speed of a model. */
export const pacedGapMs = 50;

/** Between two chunks of a stream that is held open. */
export const heldGapMs = 2_000;
