/** The outcome of one line of a batch. It is committed together with the charge of its request. */
export interface LineOutcome {
  readonly batchId: string;
  readonly line: number;
  readonly state: 'succeeded' | 'failed';
  /** The HTTP status of the answer. */
  readonly status: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}
