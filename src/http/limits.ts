/** Everything a client could send too much of, or too slowly. */
export interface HttpLimits {
  /** Request line and headers together. */
  readonly headerBytesMax: number;
  readonly headersMax: number;
  readonly bodyBytesMax: number;
  readonly jsonDepthMax: number;
  /** Values and names in a JSON body. */
  readonly jsonTokensMax: number;
  /** Until the headers have arrived; also how long a refused client may go on sending before the connection is cut. */
  readonly headersTimeoutMs: number;
  /** Until the whole request has arrived. */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a client may stop reading its answer. */
  readonly readerStallMs: number;
  /** Connections that are read; more are accepted but wait until others close. */
  readonly connectionsMax: number;
  /** Connections that there are descriptors for; clients beyond them are told that there is no room. */
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

/** How often it is looked whether somebody took too long to say all of a request. */
export function checkEveryMs({ headersTimeoutMs }: HttpLimits): number {
  return Math.min(1000, headersTimeoutMs / 2);
}
