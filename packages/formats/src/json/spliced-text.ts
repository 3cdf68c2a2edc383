/** Text that was forwarded unchanged. It stands for as many events of `kind`; decoded only on request. */
export interface SplicedText {
  readonly type: 'spliced-text';
  /** The event type that each piece stands for, in the first choice. */
  readonly kind: 'text-delta' | 'reasoning-delta';
  readonly pieces: number;
  /** Encoded bytes of all pieces: a bound on their characters, and on the memory they use until they are decoded. */
  readonly bytes: number;
  texts(): readonly string[];
}
