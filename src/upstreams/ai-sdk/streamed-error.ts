/** An error that a provider sent instead of a part of its answer. */
export class StreamedError extends Error {
  /** The error as the package reports it. */
  readonly error: unknown;

  constructor(error: unknown) {
    super('the provider sent an error instead of an answer');
    this.name = 'StreamedError';
    this.error = error;
  }
}
