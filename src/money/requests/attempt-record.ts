import { ownJson } from 'chat-formats/json/own-json.ts';

/** One attempt at an upstream. Times are milliseconds since the request began. */
export interface AttemptRecord {
  readonly upstream: string;
  /** The upstream's name for the model. */
  readonly model: string;
  /** Index of the upstream's credential, from 0. */
  readonly credential?: number | undefined;
  /** Length of the upstream's queue before this request when it arrived; 0 means next. */
  readonly position?: number | undefined;
  /** How long it waited for a slot before it was sent. */
  readonly waitMs: number;
  /** How long it paused before that because the previous attempt had failed; absent without a pause. */
  readonly pauseMs?: number | undefined;
  readonly beganMs: number;
  /** When its answer began, or when it was given up. */
  readonly endedMs: number;
  readonly firstEventMs?: number | undefined;
  /** The provider's HTTP status, if it sent one. */
  readonly status?: number | undefined;
  readonly errorCase?: string | undefined;
  /** Why it failed, in the gateway's words: no secrets, and no text of clients or providers. */
  readonly reason?: string | undefined;
}

/** Of more attempts, the record keeps the first ones and the last. */
const attemptsMax = 16;
const textMax = 200;

/** The attempts as stored: limited in number and length. */
export function encodeAttempts(attempts: readonly AttemptRecord[]): string | null {
  if (attempts.length === 0) return null;
  // Most are within the limits, and a replacer for every field costs more than the serialisation.
  return JSON.stringify(firstAndLast(attempts), attempts.every(isWithinLimits) ? undefined : truncated);
}

export function decodeAttempts(text: string | null): readonly AttemptRecord[] {
  return text === null ? [] : (ownJson(text) as AttemptRecord[]);
}

function firstAndLast(attempts: readonly AttemptRecord[]): readonly AttemptRecord[] {
  if (attempts.length <= attemptsMax) return attempts;
  return [...attempts.slice(0, attemptsMax - 1), ...attempts.slice(-1)];
}

function isWithinLimits({ upstream, model, errorCase = '', reason = '' }: AttemptRecord): boolean {
  return [upstream, model, errorCase, reason].every(({ length }) => length <= textMax);
}

function truncated(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, textMax) : value;
}
