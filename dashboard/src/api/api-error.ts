import type { FieldProblem, ShownError } from '../text/error-text.ts';

/** An answer that was not a success: what the gateway's envelope said, and the id under which it can be looked up. */
export class ApiError extends Error implements ShownError {
  readonly status: number;
  /** The envelope's code; `unreachable` where no answer came, `unknown` where it was no envelope. */
  readonly code: string;
  readonly requestId: string | undefined;
  readonly reason: string | undefined;
  readonly params: ShownError['params'];
  readonly problems: readonly FieldProblem[];

  private constructor(status: number, code: string, message: string, more: Details) {
    super(message, { cause: more.cause });
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.requestId = more.requestId;
    this.reason = more.reason;
    this.params = more.params;
    this.problems = more.problems ?? [];
  }

  /** Pages show a session, so what the gateway says of keys where it was shown nothing is about that; `key` is for the playground. */
  static of(response: Response, text: string, shown: 'session' | 'key' = 'session'): ApiError {
    const { code: sent = '', message = '', ...details } = envelopeOf(text);
    const isSession = shown === 'session' && sent === 'invalid_api_key';
    const code = isSession ? 'not_signed_in' : sent;
    const requestId = response.headers.get('x-gateway-request-id') ?? idIn(message);
    return new ApiError(response.status, code || 'unknown', withoutId(message) || `HTTP ${response.status}`, {
      ...details,
      ...(isSession && { reason: 'not_signed_in' }),
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
    return this.reason === 'account_not_found';
  }

  static unreachable(cause: unknown): ApiError {
    return new ApiError(0, 'unreachable', 'The gateway did not answer.', { cause });
  }
}

interface Details extends Partial<Pick<ShownError, 'reason' | 'params' | 'problems'>> {
  readonly requestId?: string;
  readonly cause?: unknown;
}

function envelopeOf(text: string): Partial<ShownError> {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<ShownError> };
    const { code, message, reason, params, problems } = error ?? {};
    return { code, message, reason, params, problems };
  } catch {
    return {};
  }
}

const idNote = /\s*\(request id: ([^)]+)\)\s*$/;

function idIn(message: string): string | undefined {
  return idNote.exec(message)?.[1];
}

function withoutId(message: string): string {
  return message.replace(idNote, '');
}
