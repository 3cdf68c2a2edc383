/** An answer that was not a success: what the gateway's envelope said, and the id under which it can be looked up. */
export class ApiError extends Error {
  readonly status: number;
  /** The envelope's code; `unreachable` where no answer came, `unknown` where it was no envelope. */
  readonly code: string;
  readonly requestId: string | undefined;

  private constructor(status: number, code: string, message: string, more: { requestId?: string; cause?: unknown }) {
    super(message, { cause: more.cause });
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.requestId = more.requestId;
  }

  /** Pages show a session, so what the gateway says of keys where it was shown nothing is about that; `key` is for the playground. */
  static of(response: Response, text: string, shown: 'session' | 'key' = 'session'): ApiError {
    const { code: said, message } = envelopeOf(text);
    const code = shown === 'session' && said === 'invalid_api_key' ? 'not_signed_in' : said;
    const requestId = response.headers.get('x-gateway-request-id') ?? idIn(message);
    return new ApiError(response.status, code || 'unknown', withoutId(message) || `HTTP ${response.status}`, {
      ...(requestId && { requestId }),
    });
  }

  /** Whether it is known that nothing was written; behind no answer, or one of a server in trouble, anything may be. */
  get isAnswer(): boolean {
    return this.status >= 400 && this.status < 500;
  }

  /** What was meant is not there, or no longer; an account one was taken out of is another matter. */
  get isGone(): boolean {
    return this.status === 404 && !this.isAboutAccount;
  }

  /** Those who no longer belong to an account are told that there is none. */
  get isAboutAccount(): boolean {
    return this.status === 404 && this.message.startsWith('There is no such account');
  }

  static unreachable(cause: unknown): ApiError {
    return new ApiError(0, 'unreachable', 'The gateway did not answer.', { cause });
  }
}

function envelopeOf(text: string): { code: string; message: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string; message?: string } };
    return { code: error?.code ?? '', message: error?.message ?? '' };
  } catch {
    return { code: '', message: '' };
  }
}

const idNote = /\s*\(request id: ([^)]+)\)\s*$/;

function idIn(message: string): string | undefined {
  return idNote.exec(message)?.[1];
}

function withoutId(message: string): string {
  return message.replace(idNote, '');
}
