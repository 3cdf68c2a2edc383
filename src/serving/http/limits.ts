import { foreignLimits } from 'chat-formats/json/foreign-json.ts';

export const defaultHttpLimits = {
  /** Request line and headers together. */
  headerBytesMax: 16_384,
  headersMax: 200,
  bodyBytesMax: 32 * 1024 * 1024,
  jsonDepthMax: foreignLimits.depthMax,
  /** Values and names in a JSON body. */
  jsonTokensMax: foreignLimits.tokensMax,
  /** Until the headers have arrived. Also how long a rejected client may still send before the connection is closed. */
  headersTimeoutMs: 10_000,
  /** Until the complete request has arrived. */
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 75_000,
  /** How long a client may stop reading its answer before its connection is reset. */
  readerStallMs: 60_000,
  /** Connections that are read; further ones are accepted but wait until others close. */
  connectionsMax: 20_000,
  /** Connections that have a file descriptor; further clients get an "overloaded" reply. */
  socketsMax: Number.POSITIVE_INFINITY,
};

/** Limits on the amount and the speed of client data. */
export type HttpLimits = Readonly<typeof defaultHttpLimits>;

export function checkEveryMs({ headersTimeoutMs }: HttpLimits): number {
  return Math.min(1000, headersTimeoutMs / 2);
}
