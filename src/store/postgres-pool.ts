import { Socket } from 'node:net';
import type { PostgresPoolClient } from 'kysely';
import pg from 'pg';

/** Connections to a PostgreSQL database, in the shape Kysely expects of a pool. */
export interface PostgresPool {
  readonly options: object;
  connect(): Promise<PostgresPoolConnection>;
  end(): Promise<void>;
  /** Ends at once what `end` is still waiting for. */
  destroySockets(): void;
}

export interface PostgresPoolConnection extends PostgresPoolClient {
  /** Runs a statement that the connection prepares once, under this name. */
  prepared(name: string, text: string, parameters: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

export interface PoolOptions {
  readonly database: string;
  readonly connectionsMax: number;
  readonly statementMs: number;
  /** How long to wait for a connection, whether it is being made or others have them all. */
  readonly connectMs?: number | undefined;
}

const usualConnectMs = 2000;
const keepAliveAfterMs = 10_000;
/** A process that froze inside a transaction must not keep what it locked from the others. */
const idleInTransactionMs = 10_000;

/** A database that does not answer is given up, statement by statement and connection by connection; nothing hangs. */
export function postgresPool({
  database,
  connectionsMax,
  statementMs,
  connectMs = usualConnectMs,
}: PoolOptions): PostgresPool {
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString: database,
    application_name: 'chat-gateway',
    max: connectionsMax,
    connectionTimeoutMillis: connectMs,
    // The database itself gives up a little earlier, so that a statement that is merely slow costs no connection.
    statement_timeout: Math.ceil(statementMs * 0.9),
    query_timeout: statementMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
    // A process with nothing else to do may end without saying goodbye.
    allowExitOnIdle: true,
    // Statements that nobody waits between go out together.
    pipeline: true,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveAfterMs,
    types: { getTypeParser: typeParser },
    stream: () => tracked(new Socket(), sockets),
  });
  // A connection that breaks while nobody uses it is replaced at the next use; whoever uses it hears of it there.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return {
    options: pool.options,
    connect: async () => impatient(await pool.connect()),
    end: () => pool.end(),
    destroySockets: () => sockets.forEach((socket) => void socket.destroy()),
  };
}

function tracked(socket: Socket, sockets: Set<Socket>): Socket {
  sockets.add(socket);
  return socket.once('close', () => void sockets.delete(socket));
}

/** After a statement without an answer, the next would only wait behind it: the connection is ended, and all else on it fails at once. */
function impatient(client: pg.PoolClient): PostgresPoolConnection {
  const run = async (query: pg.QueryConfig): Promise<pg.QueryResult> => {
    try {
      return await client.query(query);
    } catch (error) {
      if (error instanceof Error && error.message === 'Query read timeout') void client.end();
      throw error;
    }
  };
  const query = (text: string, parameters: readonly unknown[]): Promise<unknown> =>
    run({ text, values: [...parameters] });
  return {
    query: query as PostgresPoolClient['query'],
    prepared: (name, text, parameters) => run({ name, text, values: [...parameters] }),
    release: (isBroken) => client.release(isBroken),
  };
}

const int8 = 20;
const numeric = 1700;

/** BIGINT columns, and what PostgreSQL makes of sums of them, are numbers, as they are in the embedded store. */
const typeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === int8 || oid === numeric ? exactNumber : pg.types.getTypeParser(oid, format);

/** Fails where a number would silently become another: large amounts are read as text, with a cast in the query. */
function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new RangeError('a number from the database is too large to be exact; cast it to text in the query');
  }
  return value;
}
