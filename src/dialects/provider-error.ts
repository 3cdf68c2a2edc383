/** A provider's own words about why there is no answer, sent inside one, with the status they stand for. For logs only. */
export class ProviderError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.name = 'ProviderError';
    this.status = status;
  }
}
