import { Socket } from 'node:net';
import type { PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { storableText } from '../job.ts';

/** Connections to a PostgreSQL database, in the shape of a pool that Kysely expects. */
export interface PostgresPool {
  readonly options: object;
  connect(): Promise<PostgresPoolConnection>;
  end(): Promise<void>;
  /** Closes at once the connections that `end` still waits for. */
  destroySockets(): void;
}

export interface PostgresPoolConnection extends PostgresPoolClient {
  /** Runs a statement that the connection prepares once under this name. */
  prepared(name: string, text: string, parameters: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

export interface PoolOptions {
  readonly database: string;
  readonly connectionsMax: number;
  readonly statementMs: number;
  /** How long to wait for a connection, whether it is being opened or all are in use. */
  readonly connectMs?: number | undefined;
}

const defaultConnectMs = 2000;
const keepAliveAfterMs = 10_000;
/** A process that freezes inside a transaction must not block other processes with its locks. */
const idleInTransactionMs = 10_000;

/** Opens a pool in which every statement and every connection attempt has a timeout, so that nothing hangs. */
export function postgresPool({
  database,
  connectionsMax,
  statementMs,
  connectMs = defaultConnectMs,
}: PoolOptions): PostgresPool {
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString: database,
    application_name: 'chat-gateway',
    max: connectionsMax,
    connectionTimeoutMillis: connectMs,
    // The database's own timeout is a little shorter, so that a slow statement does not cost the connection.
    statement_timeout: Math.ceil(statementMs * 0.9),
    query_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    // Idle connections must not keep the process running.
    allowExitOnIdle: true,
    // Statements with no wait between them are sent together.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser: typeParser },
    stream: () => tracked(new Socket(), sockets),
  });
  // If an idle connection breaks, the pool replaces it at the next use. If it is in use, the running statement fails.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    options: pool.options,
    connect: async () => closingOnTimeout(await pool.connect()),
    end: () => pool.end(),
    destroySockets: () => sockets.forEach((socket) => void socket.destroy()),
  };
}

function tracked(socket: Socket, sockets: Set<Socket>): Socket {
  sockets.add(socket);
  return socket.once('close', () => void sockets.delete(socket));
}

/** Closes the connection after a timeout: the next statement would only wait behind it. The others fail at once. */
function closingOnTimeout(client: pg.PoolClient): PostgresPoolConnection {
  const run = async (query: pg.QueryConfig): Promise<pg.QueryResult> => {
    try {
      return await client.query(query);
    } catch (error) {
      if (error instanceof Error && error.message === 'Query read timeout') void client.end();
      throw error;
    }
  };
  const query = (text: string, parameters: readonly unknown[]): Promise<unknown> =>
    run({ text, values: parameters.map(storable) });
  return {
    query: query as PostgresPoolClient['query'],
    prepared: (name, text, parameters) => run({ name, text, values: parameters.map(storable) }),
    release: (isBroken) => client.release(isBroken),
  };
}

/** A statement with such a text would fail: a client's file name, user id or tag must not break a request. */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? storableText(value) : value;
}

const int8 = 20;
const numeric = 1700;

/** Reads BIGINT columns, and PostgreSQL's sums of them, as numbers, like the embedded store does. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 || oid === numeric ? exactNumber : pg.types.getTypeParser(oid, format);

/** Throws if a number would lose precision. Queries must read large amounts as text, with a cast. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError('a number from the database is too large to be exact; cast it to text in the query');
  }
  return value;
}
