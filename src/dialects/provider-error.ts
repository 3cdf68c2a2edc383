/** An error that a provider sent inside an answer, with the status it corresponds to. The text is for logs only. */
export class ProviderError extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.name = 'ProviderError';
    this.status = status;
  }
}
