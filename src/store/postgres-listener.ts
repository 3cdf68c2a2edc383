import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** A connection that does nothing but listen, and that others can see. */
export interface PostgresListener {
  stop(): Promise<void>;
}

export interface ListenerOptions {
  readonly database: string;
  readonly channel: string;
  /** What the database calls the connection, for whoever asks whether it stands. */
  readonly name: string;
  readonly heard: (payload: string) => void;
}

/** A connection that broke is made anew after so long; what was said meanwhile was not heard. */
const againMs = 1000;
const connectMs = 2000;
const keepAliveAfterMs = 10_000;

/** Listens until it is stopped. What it hears is a hint: whoever relies on it must look by itself now and then. */
export function listenTo(options: ListenerOptions): PostgresListener {
  const stopping = new AbortController();
  const { signal } = stopping;
  const listening = (async () => {
    while (!signal.aborted) {
      await listenOnce(options, signal).catch(() => undefined);
      await delay(againMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return {
    stop() {
      stopping.abort();
      return listening;
    },
  };
}

/** Ends with the connection. */
async function listenOnce({ database, channel, name, heard }: ListenerOptions, signal: AbortSignal): Promise<void> {
  const client = new pg.Client({
    connectionString: database,
    application_name: name,
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
  });
  const ended = new Promise<void>((resolve) => {
    client.once('end', resolve);
    client.on('error', () => resolve());
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    await client.connect();
    client.on('notification', ({ payload = '' }) => heard(payload));
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    await ended;
  } finally {
    // One that no longer answers is not waited for.
    await Promise.race([client.end(), delay(closingMs, undefined, { ref: false })]).catch(() => undefined);
  }
}

const closingMs = 500;
