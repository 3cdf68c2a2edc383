import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** A connection that only listens for notifications. Other processes can see it in the database. */
export interface PostgresListener {
  stop(): Promise<void>;
}

export interface ListenerOptions {
  readonly database: string;
  readonly channel: string;
  /** `application_name` of the connection, by which other processes check that it is open. */
  readonly name: string;
  readonly onNotification: (payload: string) => void;
}

/** Delay before a broken connection is opened again. Notifications sent in between are lost. */
const reconnectMs = 1000;
const connectMs = 2000;
const keepAliveAfterMs = 10_000;

/** Listens until it is stopped. A notification is only a hint: callers must also poll now and then. */
export function listenTo(options: ListenerOptions): PostgresListener {
  const stopping = new AbortController();
  const { signal } = stopping;
  const listening = (async () => {
    while (!signal.aborted) {
      await listenOnce(options, signal).catch(() => undefined);
      await delay(reconnectMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return {
    stop() {
      stopping.abort();
      return listening;
    },
  };
}

async function listenOnce({ database, channel, name, onNotification }: ListenerOptions, signal: AbortSignal) {
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
    client.on('notification', ({ payload = '' }) => onNotification(payload));
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    await ended;
  } finally {
    // Do not wait for a database that no longer responds.
    await Promise.race([client.end(), delay(closingMs, undefined, { ref: false })]).catch(() => undefined);
  }
}

const closingMs = 500;
