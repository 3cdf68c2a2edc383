/** Samples how long chunks stay in the gateway on their way from a provider to a client. */
export interface ChunkWatch {
  /** Called when a chunk arrives. Returns its time if it is sampled. */
  came(): number | undefined;
  /** Called when a sampled chunk was written to the client. */
  left(cameMs: number): void;
}
