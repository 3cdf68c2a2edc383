/** The trace of one request, as the layers on its path use it. */
export interface RequestTrace {
  /** Begins the trace of one call to a provider; each retry is a call of its own. */
  call(): CallTrace;
}

/** One call to a provider within a trace. */
export interface CallTrace {
  /** Headers with which the provider continues the trace. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called with the id that the provider gave its answer. */
  readonly answeredAs?: AnsweredAs | undefined;
}

export type AnsweredAs = (id: string) => void;

/** A request at its arrival. */
export interface ArrivingRequest {
  readonly id: string;
  header(name: string): string | undefined;
}

export interface RequestTraces {
  /** Begins the trace of a request if it is sampled. A second call for the same request returns the same trace. */
  begin(request: ArrivingRequest): RequestTrace | undefined;
}
