/** Looks at some of the pieces that pass on their way from a provider to a client: how long they are ours. */
export interface ChunkWatch {
  /** When a piece came, if it is one of those that are looked at. */
  came(): number | undefined;
  /** It was written to its client. */
  left(cameMs: number): void;
}
