/**
 * Pieces of an answer's text that went from the provider to the client as they stood, in the order in which they came.
 * They say what as many events of the kind would; their words are made out only when somebody asks.
 */
export interface SplicedText {
  readonly type: 'spliced-text';
  /** What each piece would be as an event of the first choice. */
  readonly kind: 'text-delta' | 'reasoning-delta';
  readonly pieces: number;
  /** Bytes of all pieces as they stood, a bound on their characters and on the memory they take until somebody asks. */
  readonly bytes: number;
  texts(): readonly string[];
}
