/** The outcome of one line of a batch. It is committed together with the charge of its request. */
export interface LineOutcome {
  readonly batchId: string;
  readonly line: number;
  /** `cancelled`: its batch was cancelled while a provider worked on it. */
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  /** The HTTP status of the answer. Null if it was cancelled: then it has no answer. */
  readonly status: number | null;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}
