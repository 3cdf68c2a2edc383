import type { SQLInputValue } from 'node:sqlite';
import { InvariantViolation } from '../core/assert.ts';
import type { SentTask } from './job.ts';

/** What the thread of the embedded store is asked to do. It does one thing at a time. */
export type ThreadOrder = { readonly now: number } & (
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly SQLInputValue[] }
  | { readonly kind: 'run'; readonly tasks: readonly SentTask[] }
  | { readonly kind: 'close' }
);

/** What came of an order. */
export type ThreadReply = { readonly value: unknown } | { readonly error: SentError };

/** Where the thread finds its database. */
export interface ThreadData {
  readonly file: string;
  /** Modules with jobs it will be asked for: loaded at once, for later there may be no file that can be opened. */
  readonly modules: readonly string[];
}

/** An error as it is sent: a message between threads would lose what makes it recognisable. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Its own fields, such as the codes of the system and of SQLite. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined, fields: {} };
  const fields = Object.entries(error).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return { name: error.name, message: error.message, stack: error.stack, fields: Object.fromEntries(fields) };
}

export function receivedError({ name, message, stack, fields }: SentError): Error {
  const error = name === 'InvariantViolation' ? new InvariantViolation(message) : new Error(message);
  return Object.assign(error, fields, stack === undefined ? {} : { stack });
}
