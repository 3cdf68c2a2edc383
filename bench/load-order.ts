import type { Workload } from './workload.ts';

/** Where a load goes and with which key. */
export interface Address {
  readonly port: number;
  readonly key: string;
  /** What else this proxy wants to be told with every request. */
  readonly headers?: readonly string[];
}

/** Ask again and again on each of the connections until the time is over; then let the running answers end. */
export interface DriveOrder {
  readonly kind: 'drive';
  /** Connections take turns among them. */
  readonly to: readonly [Address, ...Address[]];
  readonly workload: Workload;
  readonly connections: number;
  readonly durationMs: number;
  /** The connections begin spread over this time, so that their chunks do not all fall on one moment. */
  readonly spreadMs: number;
}

export interface DriveReply {
  readonly answers: number;
  readonly failures: number;
  readonly firstFailure: string | undefined;
  /** Socket reads an answer took: tells whether chunks really travelled one by one. */
  readonly readsPerAnswer: number;
  /** From sending a request to the first byte of its body; first answers of a connection are not counted. */
  readonly firstByteMicros: Quantiles;
  /** From sending a request to the end of its answer. */
  readonly wholeMicros: Quantiles;
  /** From the upstream's write to our read, for workloads whose chunks are stamped. */
  readonly chunkMicros: Quantiles;
}

/** Open this many more streams and keep them; replies once every one of them has its first bytes or has failed. */
export interface HoldOrder {
  readonly kind: 'hold';
  readonly to: Address;
  readonly count: number;
}

/** Wait until all held streams have come to their end. */
export interface CollectOrder {
  readonly kind: 'collect';
}

export interface HoldReply {
  readonly served: number;
  readonly failures: number;
  readonly firstFailure: string | undefined;
}

export type LoadOrder = DriveOrder | HoldOrder | CollectOrder;

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}
