import type { Workload } from './workload.ts';

/** The target of a load, and its API key. */
export interface LoadAddress {
  readonly port: number;
  readonly key: string;
  /** Further headers that this proxy needs with every request. */
  readonly headers?: readonly string[];
}

/** Sends requests on each connection until the time is over, then waits for the running answers. */
export interface DriveOrder {
  readonly kind: 'drive';
  /** The connections are distributed over these targets in turn. */
  readonly to: readonly [LoadAddress, ...LoadAddress[]];
  readonly workload: Workload;
  readonly connections: number;
  readonly durationMs: number;
  /** Ends the drive after this number of requests, even if time is left. */
  readonly requestsMax?: number;
  /** The connections start spread over this time, so that their chunks do not coincide. */
  readonly spreadMs: number;
}

export interface DriveReply {
  readonly answers: number;
  readonly failures: number;
  readonly firstFailure: string | undefined;
  /** Socket reads per answer. It shows whether chunks arrived one by one. */
  readonly readsPerAnswer: number;
  /** From sending a request to the first byte of its body. The first answer of a connection is not counted. */
  readonly firstByteMicros: Quantiles;
  /** From sending a request to the end of its answer. */
  readonly wholeMicros: Quantiles;
  /** From the upstream's write to the client's read, for workloads with stamped chunks. */
  readonly chunkMicros: Quantiles;
}

/** Opens more streams and keeps them open. Replies when each has its first bytes or has failed. */
export interface HoldOrder {
  readonly kind: 'hold';
  readonly to: LoadAddress;
  readonly count: number;
}

/** Waits until all held streams have ended. */
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
