import type { ModelRoute } from '../../core/chat/model.ts';
import type { CallTrace } from '../../core/request-trace.ts';

/** One call of an upstream: where it went, how long it took, and its result. */
export interface Attempt {
  readonly route: ModelRoute;
  readonly upstream: string;
  /** The model's name at the upstream. */
  readonly model: string;
  /** Index of the upstream's credential, from 0. */
  readonly credential: number;
  /** When the call was sent, and when it succeeded or failed, on `clock.elapsed()`. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** How long the request waited for its slot, and how many requests were ahead of it. */
  readonly waitMs: number;
  readonly position: number;
  /** How long the request paused after the previous failure, outside any queue. */
  readonly pauseMs: number;
  /** The status of the provider's refusal; 200 if it answered, `undefined` if there was no status. */
  readonly status: number | undefined;
  /** Time from sending to the first content; `undefined` if there was none. */
  readonly firstEventMs: number | undefined;
  readonly error: unknown;
  /** Set if the request is traced. */
  readonly trace?: CallTrace | undefined;
}
