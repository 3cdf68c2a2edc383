import type { SQLInputValue } from 'node:sqlite';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { SentTask } from '../job.ts';

/** Messages to the embedded store's worker thread. It handles one at a time. */
export type ThreadOrder = { readonly now: number } & (
  | { readonly kind: 'query'; readonly sql: string; readonly parameters: readonly SQLInputValue[] }
  | { readonly kind: 'run'; readonly tasks: readonly SentTask[] }
  | { readonly kind: 'close' }
);

export type ThreadReply = { readonly value: unknown } | { readonly error: SentError };

export interface ThreadData {
  readonly file: string;
  /** Modules with jobs, loaded at the start: later it may be impossible to open a file. */
  readonly modules: readonly string[];
}

/** An error as a message. Structured cloning would lose the fields that identify it. */
interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Its own fields, such as error codes of the system and of SQLite. */
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
