import { setTimeout as delay } from 'node:timers/promises';
import { destination, type Logger, pino } from 'pino';
import { textLine } from './text-line.ts';

export type Log = Logger;

/** Lines kept in memory while nobody takes them; more are dropped. */
const pendingBytesMax = 8 * 1024 * 1024;

/** How much is gathered before it is written: a write costs the main thread as much as some forty lines. */
const gatheredBytes = 48 * 1024;
/** The most that is written at a time. */
const writtenBytesMax = 64 * 1024;

/** What several processes write to one pipe at a time without their lines getting into each other. */
const wholeBytesMax = 4096;

interface LogSettings {
  readonly level: string;
  /** One JSON object a line, or text for people. */
  readonly format: 'json' | 'text';
}

/**
 * Lines on standard error, written in batches off the hot path. Fields are chosen by whoever logs: no bodies, no
 * headers, no credentials ever reach this module. A log that cannot be written costs its lines and nothing else.
 * Where workers share one stream, each line says whose it is.
 */
export function openLog(
  { level, format }: LogSettings,
  worker?: number,
): { readonly log: Log; readonly close: () => Promise<void> } {
  let isTaken = true;
  const sink = destination({
    fd: 2,
    sync: false,
    minLength: worker === undefined ? gatheredBytes : wholeBytesMax / 2,
    maxLength: pendingBytesMax,
    periodicFlush: 200,
    contentMode: 'buffer',
    maxWrite: worker === undefined ? writtenBytesMax : wholeBytesMax,
    // A pipe that is full.
    retryEAGAIN: () => {
      isTaken = false;
      return true;
    },
  });
  sink.on('error', () => {
    isTaken = false;
  });
  sink.on('write', () => {
    isTaken = true;
  });
  // A process that is ended at once would have pino try for ever to write what nobody takes.
  const letGo = (): void => {
    if (!isTaken) sink.destroy();
  };
  process.prependListener('exit', letGo);
  const base = worker === undefined ? undefined : { worker };
  const bytes = inBytes(sink);
  const lines = format === 'json' ? bytes : { write: (line: string) => bytes.write(textLine(line)) };
  const log = pino({ level, base, formatters: { level: (label) => ({ level: label }) } }, lines);
  return {
    log,
    async close() {
      await closed(sink);
      process.off('exit', letGo);
    },
  };
}

/** Of texts the sink would look at all that it has gathered again with every line. */
function inBytes(sink: Sink): { write(line: string): void; flushSync(): void } {
  return {
    // It takes bytes when it was told so; its types do not know.
    write: (line) => void sink.write(Buffer.from(line) as unknown as string),
    flushSync: () => sink.flushSync(),
  };
}

type Sink = ReturnType<typeof destination>;

/** How long the last lines may take. */
const closeMs = 1000;

/** Writes what is left. On a full disk that would never end, and pino would try again when the process exits. */
async function closed(sink: Sink): Promise<void> {
  const isOver = new AbortController();
  const written = new Promise<void>((resolve) => sink.flush(() => resolve()));
  await Promise.race([written, delay(closeMs, undefined, { signal: isOver.signal }).catch(() => undefined)]);
  isOver.abort();
  sink.destroy();
}
