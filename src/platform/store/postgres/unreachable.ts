import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { storeUnreachable } from '../../../core/time/deadline.ts';

/** The database could not be reached or rejected the login. The message contains no secret. */
export class DatabaseError extends Error {
  readonly fix: string;

  constructor(message: string, options: { fix: string; cause: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'DatabaseError';
    this.fix = options.fix;
  }
}

interface RetryPolicy {
  /** Name of the database in messages. */
  readonly place: string;
  readonly timeoutMs: number;
  readonly onWaiting?: ((sentence: string) => void) | undefined;
}

const pauseMaxMs = 2000;

/** Retries while the database may still be starting. Throws at once if waiting cannot help. */
export async function whileUnreachable<Result>(attempt: () => Promise<Result>, policy: RetryPolicy): Promise<Result> {
  const { place, timeoutMs, onWaiting } = policy;
  const giveUpAt = performance.now() + timeoutMs;
  for (let lastSentence = ''; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (isRejection(error)) throw rejectionError(error, place);
      if (!isUnreachable(error)) throw error;
      if (performance.now() >= giveUpAt) throw timeoutError(error, policy);
      const sentence = `Waiting for ${place}: ${reasonOf(error)}`;
      if (sentence !== lastSentence) onWaiting?.(sentence);
      lastSentence = sentence;
    }
    const leftMs = Math.max(0, giveUpAt - performance.now());
    await delay(Math.min(leftMs, pauseMaxMs) * (0.25 + 0.75 * Math.random()));
  }
}

/**
 * Whether the database is missing, not ready, too busy, locked or out of space, by error codes of the system, the driver
 * or the database. Waiting or the operator may fix these. A statement that a working database rejects is not among them.
 * One that timed out is: usually it waited for a lock of another program.
 */
export function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  if (code === sqliteError) return isSqliteUnreachable(error);
  if (code !== undefined)
    return isStatementTimeout(error) || /^(E(?!RR_)[A-Z_]+|08...|53...|57P0.|58...|25006)$/.test(code);
  return error instanceof Error && (error.name === 'StoreThreadError' || driverMessages.test(error.message));
}

/** The error for a client: if the database was unreachable, its request may succeed later. */
export function orOverloaded(error: unknown): unknown {
  return !(error instanceof GatewayError) && isUnreachable(error) ? storeUnreachable(error) : error;
}

const driverMessages = /^(Connection terminated|timeout exceeded|Query read timeout)/;

/** PostgreSQL codes: a statement, or its wait for a lock, took too long. */
function isStatementTimeout(error: unknown): boolean {
  return /^(57014|55P03)$/.test(codeOf(error) ?? '');
}

/** Every error of SQLite has this code; `errcode` has the actual one. */
const sqliteError = 'ERR_SQLITE_ERROR';

/** SQLite result codes: busy, locked, no memory, read-only, I/O error, full, cannot open, locking protocol. */
const unreachableCodes: ReadonlySet<number> = new Set([5, 6, 7, 8, 10, 13, 14, 15]);

/** The lowest byte is the primary result code, the others extend it. */
function isSqliteUnreachable(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && unreachableCodes.has(Number(error.errcode) & 0xff);
}

/** Whether the database responded but rejected us: wrong user, password, database or certificate. */
function isRejection(error: unknown): boolean {
  return /^(28...|3D000|42501|CERT_.*|.*_CERT.*|.*_SIGNATURE.*|ERR_TLS_.*)$/.test(codeOf(error) ?? '');
}

function rejectionError(error: unknown, place: string): DatabaseError {
  return new DatabaseError(`${place} rejected the connection: ${reasonOf(error)}`, {
    fix: 'Check the user, the password and the name of the database in `database` or --database, and the permissions of the user.',
    cause: error,
  });
}

function timeoutError(error: unknown, { place, timeoutMs }: RetryPolicy): DatabaseError {
  const seconds = Math.round(timeoutMs / 1000);
  return new DatabaseError(`${place} could not be reached within ${seconds} seconds: ${reasonOf(error)}`, {
    fix: isStatementTimeout(error)
      ? 'Find the transaction that holds a lock in pg_locks and pg_stat_activity of the database, and end it.'
      : 'Check that the database runs, that `database` or --database names its host and port, and that this machine may connect to it.',
    cause: error,
  });
}

/** If a name has several addresses, their errors arrive as one `AggregateError` without a message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
