/** The trace of one request, as far as those on its way have to know it. */
export interface RequestTrace {
  /** Begins the trace of one call of a provider; a further try is another. */
  call(): CallTrace;
}

/** One call of a provider within a trace. */
export interface CallTrace {
  /** What lets the provider go on with the trace. */
  readonly headers: Readonly<Record<string, string>>;
  /** Takes the id that the provider gave its answer. */
  readonly answeredAs?: AnsweredAs | undefined;
}

export type AnsweredAs = (id: string) => void;

/** A request as it is seen when it comes. */
export interface Arriving {
  readonly id: string;
  header(name: string): string | undefined;
}

export interface RequestTraces {
  /** Begins the trace of a request, if it is one of those that are traced; whoever asks again gets the same. */
  begin(request: Arriving): RequestTrace | undefined;
}
