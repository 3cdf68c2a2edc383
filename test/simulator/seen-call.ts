/** One call as the provider saw it. */
export interface SeenCall {
  readonly upstream: string;
  readonly model: string;
  readonly gateway: string;
  readonly credential: number;
  readonly requestId: string;
  readonly atMs: number;
  readonly promptTokens: number;
  /** How many turns were added to what the client said, because answers before this one broke a promise. */
  readonly furtherTurns: number;
  said: number;
  /** The usage that reached the gateway, early or in the end. */
  told: 'nothing' | 'early' | 'all';
  toldTokens: number;
  outcome: 'running' | 'refused' | 'complete' | 'broken' | 'aborted';
  endedMs: number | undefined;
  /** How much later than the last word the end of its body comes. */
  bodyEndMs: number;
  /** What the answer of a call of the fast path came on: all of it has come, or it was cut from our side. */
  connection: 'none' | 'open' | 'free' | 'cut';
}
