import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * JSON lines on standard error, written in batches off the hot path. Fields are chosen by whoever logs: no bodies, no
 * headers, no credentials ever reach this module.
 */
export function openLog(level: string): { readonly log: Log; readonly flush: () => void } {
  const sink = destination({ fd: 2, sync: false, minLength: 4096, periodicFlush: 200 });
  const log = pino({ level, base: undefined, formatters: { level: (label) => ({ level: label }) } }, sink);
  return { log, flush: () => sink.flushSync() };
}
