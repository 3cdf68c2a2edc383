import type { AnsweredAs } from 'chat-formats/chat/event-flow.ts';

export interface RequestTrace {
  /** Begins the trace of one call to a provider; each retry is a call of its own. */
  call(): CallTrace;
}

export interface CallTrace {
  /** Headers with which the provider continues the trace. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called with the id that the provider gave its answer. */
  readonly answeredAs?: AnsweredAs | undefined;
}

export interface ArrivingRequest {
  readonly id: string;
  header(name: string): string | undefined;
}

export interface RequestTraces {
  /** Begins the trace of a request if it is sampled. A second call for the same request returns the same trace. */
  begin(request: ArrivingRequest): RequestTrace | undefined;
}

/** The address for traces, and the requests that are traced. */
export interface TraceSettings {
  /** The whole address of the collector; if `undefined`, the environment variables of OpenTelemetry decide. */
  readonly url: string | undefined;
  /** Share of requests that are traced, from 0 to 1. */
  readonly share: number;
  /** Whether a request with a `traceparent` is traced if, and only if, its client traces it. */
  readonly followsClient: boolean;
}

/** One call of an upstream: where it went, how long it took, and its result. Times are on `clock.elapsed()`. */
export interface MeasuredAttempt {
  readonly upstream: string;
  /** The model's name at the upstream. */
  readonly model: string;
  /** Index of the upstream's credential, from 0. */
  readonly credential: number;
  /** How long the request waited for its slot, and how long it paused before that, outside any queue. */
  readonly waitMs: number;
  readonly pauseMs: number;
  /** When the call was sent, and when its answer began or it was given up. */
  readonly beganMs: number;
  readonly endedMs: number;
  /** Time from sending to the first content; `undefined` if there was none. */
  readonly firstEventMs: number | undefined;
  /** The status of the provider's refusal; 200 if it answered, `undefined` if there was no status. */
  readonly status: number | undefined;
  readonly error: unknown;
  readonly trace?: CallTrace | undefined;
}
