/** What happened at one upstream on the way to an answer. Times are milliseconds since the request began. */
export interface AttemptRecord {
  readonly upstream: string;
  /** The model's name there. */
  readonly model: string;
  /** Which of the upstream's credentials was used, counted from 0. */
  readonly credential?: number | undefined;
  /** How many waited at this upstream before it when it came; 0 is the next. */
  readonly position?: number | undefined;
  /** How long it waited for its turn before it was sent. */
  readonly waitMs: number;
  /** How long it paused before that, since the attempt before had failed; not said if it did not. */
  readonly pauseMs?: number | undefined;
  /** When it was sent. */
  readonly beganMs: number;
  /** When its answer began, or when it was given up. */
  readonly endedMs: number;
  readonly firstEventMs?: number | undefined;
  /** The status the provider sent, if it sent one. */
  readonly status?: number | undefined;
  readonly errorCase?: string | undefined;
  /** Why it failed, in our own words: neither secrets nor what anybody wrote. */
  readonly reason?: string | undefined;
}

/** A request that was tried more often keeps how it began and how it ended. */
const attemptsMax = 16;
const textMax = 200;

/** As it is stored: bounded, whatever happened. */
export function trailText(attempts: readonly AttemptRecord[]): string | null {
  if (attempts.length === 0) return null;
  // Most are bounded as they are, and to have every field looked at costs more than to write them.
  return JSON.stringify(mostTelling(attempts), attempts.every(isBounded) ? undefined : boundedText);
}

export function trailOf(text: string | null): readonly AttemptRecord[] {
  return text === null ? [] : (JSON.parse(text) as AttemptRecord[]);
}

function mostTelling(attempts: readonly AttemptRecord[]): readonly AttemptRecord[] {
  if (attempts.length <= attemptsMax) return attempts;
  return [...attempts.slice(0, attemptsMax - 1), ...attempts.slice(-1)];
}

function isBounded({ upstream, model, errorCase = '', reason = '' }: AttemptRecord): boolean {
  return [upstream, model, errorCase, reason].every(({ length }) => length <= textMax);
}

function boundedText(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, textMax) : value;
}
