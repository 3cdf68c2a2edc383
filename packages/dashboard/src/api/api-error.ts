import type { FieldProblem, ShownError } from '../text/error-text.ts';

/** A response that is not a success: the fields of the gateway's error envelope, and the request id. */
export class ApiError extends Error implements ShownError {
  readonly status: number;
  /** The code in the envelope. `unreachable`: no response arrived. `unknown`: the response was no error envelope. */
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

  /**
   * Dashboard pages send a session, so `invalid_api_key` becomes `not_signed_in`. The playground sends an API key and
   * passes `key`.
   */
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

  /** Whether the write certainly had no effect. After a missing response or a 5xx, the write may have happened. */
  get isAnswer(): boolean {
    return this.status >= 400 && this.status < 500;
  }

  /** The resource does not exist, or no longer. Excludes an account that the user was removed from. */
  get isGone(): boolean {
    return this.status === 404 && !this.isAboutAccount;
  }

  /** The gateway returns this reason to a user who is no longer a member of the account. */
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
