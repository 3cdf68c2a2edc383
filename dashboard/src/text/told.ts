/** An error as far as its words go. */
export interface Told {
  readonly code: string;
  readonly message: string;
}
