import { destination, type Logger, pino } from 'pino';

export type Log = Logger;

/** Lines kept in memory while nobody takes them; more are dropped. */
const pendingBytesMax = 8 * 1024 * 1024;

/**
 * JSON lines on standard error, written in batches off the hot path. Fields are chosen by whoever logs: no bodies, no
 * headers, no credentials ever reach this module. A log that cannot be written costs its lines and nothing else.
 */
export function openLog(level: string): { readonly log: Log; readonly flush: () => void } {
  const sink = destination({ fd: 2, sync: false, minLength: 4096, maxLength: pendingBytesMax, periodicFlush: 200 });
  sink.on('error', () => {});
  const log = pino({ level, base: undefined, formatters: { level: (label) => ({ level: label }) } }, sink);
  return { log, flush: () => flushed(sink) };
}

function flushed(sink: ReturnType<typeof destination>): void {
  try {
    sink.flushSync();
  } catch {
    // There is nowhere left to say so.
  }
}
