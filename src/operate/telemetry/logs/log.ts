import { setTimeout as delay } from 'node:timers/promises';
import { destination, type Logger, pino } from 'pino';
import { ownJson } from 'chat-formats/json/own-json.ts';

export type Log = Logger;

/** Lines kept in memory while standard error cannot be written. More lines are dropped. */
const pendingBytesMax = 8 * 1024 * 1024;

/** Bytes to collect before a write. One write costs the main thread as much as about forty lines. */
const batchBytes = 48 * 1024;
const writtenBytesMax = 64 * 1024;

/** Writes up to this size to a shared pipe are atomic, so lines of different processes do not mix. */
const atomicBytesMax = 4096;

interface LogSettings {
  readonly level: string;
  /** One JSON object per line, or human-readable text. */
  readonly format: 'json' | 'text';
}

/**
 * Writes log lines to standard error, in batches off the hot path. Callers choose the fields: they pass no bodies,
 * headers or credentials. If the log cannot be written, only its lines are lost. If workers share the stream, each line
 * has the worker's number.
 */
export function openLog(
  { level, format }: LogSettings,
  worker?: number,
): { readonly log: Log; readonly close: () => Promise<void> } {
  let isWritable = true;
  const sink = destination({
    fd: 2,
    sync: false,
    minLength: worker === undefined ? batchBytes : atomicBytesMax / 2,
    maxLength: pendingBytesMax,
    periodicFlush: 200,
    contentMode: 'buffer',
    maxWrite: worker === undefined ? writtenBytesMax : atomicBytesMax,
    // The pipe is full.
    retryEAGAIN: () => {
      isWritable = false;
      return true;
    },
  });
  sink.on('error', () => {
    isWritable = false;
  });
  sink.on('write', () => {
    isWritable = true;
  });
  // Without this, a process that exits at once would have pino retry forever on a stream that accepts no bytes.
  const dropUnwritten = (): void => {
    if (!isWritable) sink.destroy();
  };
  process.prependListener('exit', dropUnwritten);
  const base = worker === undefined ? undefined : { worker };
  const bytes = inBytes(sink);
  const lines = format === 'json' ? bytes : { write: (line: string) => bytes.write(textLine(line)) };
  const log = pino({ level, base, formatters: { level: (label) => ({ level: label }) } }, lines);
  return {
    log,
    async close() {
      await flushAndDestroy(sink);
      process.off('exit', dropUnwritten);
    },
  };
}

/** Passes buffers to the sink. With strings it would scan all collected text again for every line. */
function inBytes(sink: Sink): { write(line: string): void; flushSync(): void } {
  return {
    // With `contentMode: 'buffer'` the sink accepts buffers, but its types do not declare that.
    write: (line) => void sink.write(Buffer.from(line) as unknown as string),
    flushSync: () => sink.flushSync(),
  };
}

type Sink = ReturnType<typeof destination>;

/** Timeout for writing the last lines. */
const closeMs = 1000;

/** On a full disk the flush would never end. Destroys the sink, so that pino does not retry at process exit. */
async function flushAndDestroy(sink: Sink): Promise<void> {
  const timeout = new AbortController();
  const written = new Promise<void>((resolve) => sink.flush(() => resolve()));
  await Promise.race([written, delay(closeMs, undefined, { signal: timeout.signal }).catch(() => undefined)]);
  timeout.abort();
  sink.destroy();
}

/** Formats a JSON log line as text: time, level, message, then the other fields. */
export function textLine(json: string): string {
  const { time, level, msg, ...fields } = ownJson(json) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`);
  const head = [new Date(Number(time)).toISOString(), String(level).toUpperCase().padEnd(5), String(msg)];
  return `${[...head, ...pairs].join(' ')}\n`;
}

/** Quotes values with special characters. Line breaks are escaped, so that one line stays one line. */
function valueText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[^\s"=\\]+$/.test(text) ? text : JSON.stringify(text);
}
