/** One call, as the provider saw it. */
export interface SeenCall {
  readonly upstream: string;
  readonly model: string;
  readonly gateway: string;
  readonly credential: number;
  readonly requestId: string;
  readonly atMs: number;
  readonly promptTokens: number;
  /** The number of messages that re-prompts added, because earlier answers violated a constraint. */
  readonly repromptMessages: number;
  sentPieces: number;
  /** The usage that the provider has reported: none, that of the prompt, or all. */
  reported: 'nothing' | 'early' | 'all';
  reportedTokens: number;
  outcome: 'running' | 'refused' | 'complete' | 'broken' | 'aborted';
  endedMs: number | undefined;
  /** The time between the last event and the end of the body. */
  bodyEndMs: number;
  /** The connection of a fast-path call: `free` after the whole response, `closed` if the gateway closed it. */
  connection: 'none' | 'open' | 'free' | 'closed';
}
