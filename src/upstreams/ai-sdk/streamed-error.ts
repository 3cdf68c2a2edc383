/** An error that a provider put where a part of its answer belongs. */
export class StreamedError extends Error {
  /** What the package made of it. */
  readonly error: unknown;

  constructor(error: unknown) {
    super('the provider sent an error in place of an answer');
    this.name = 'StreamedError';
    this.error = error;
  }
}
