export interface HttpLimits {
  /** Request line and headers together. */
  readonly headerBytesMax: number;
  readonly headersMax: number;
  readonly bodyBytesMax: number;
  readonly jsonDepthMax: number;
  /** Values and names in a JSON body. */
  readonly jsonTokensMax: number;
  /** Until the headers have arrived. Also how long a rejected client may still send before the connection is closed. */
  readonly headersTimeoutMs: number;
  /** Until the complete request has arrived. */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a client may stop reading its answer before its connection is reset. */
  readonly readerStallMs: number;
  /** Connections that are read; further ones are accepted but wait until others close. */
  readonly connectionsMax: number;
  /** Connections that have a file descriptor; further clients get an "overloaded" reply. */
  readonly socketsMax: number;
}

export const defaultHttpLimits: HttpLimits = {
  headerBytesMax: 16_384,
  headersMax: 200,
  bodyBytesMax: 32 * 1024 * 1024,
  jsonDepthMax: 64,
  jsonTokensMax: 200_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 75_000,
  readerStallMs: 60_000,
  connectionsMax: 20_000,
  socketsMax: Number.POSITIVE_INFINITY,
};

export function checkEveryMs({ headersTimeoutMs }: HttpLimits): number {
  return Math.min(1000, headersTimeoutMs / 2);
}
