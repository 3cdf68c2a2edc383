import { type ErrorCase, errorTable } from 'chat-formats/error-table.ts';
import { type ErrorDetails, GatewayError } from 'chat-formats/gateway-error.ts';
import type { Explanation } from '../http/exchange.ts';
import { reasonOfCase } from 'chat-formats/reasons/reason.ts';
import { HttpFault } from '../http/fault.ts';

/** The public part of an error, before it is encoded as a frame or a body. */
export interface PublicError {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly message: string;
  readonly param: '' | undefined;
  /** Only the messages surface sends them. */
  readonly details: ErrorDetails | undefined;
}

/** Converts any error to its public form. The message contains the request id; causes are not exposed. */
export function publicError(error: unknown, requestId: string, supportEmail?: string): PublicError {
  const { errorCase, detail, code } = caseOf(error);
  const row: (typeof errorTable)[ErrorCase] & { param?: '' } = errorTable[errorCase];
  const contact = supportEmail && row.status >= 500 ? ` Support: ${supportEmail}.` : '';
  return {
    status: row.status,
    code: code ?? row.code,
    type: row.type,
    message: `${detail ?? row.text}${contact} (request id: ${requestId})`,
    param: row.param,
    details: error instanceof GatewayError ? error.details : undefined,
  };
}

export function explain(error: unknown, requestId: string, supportEmail?: string): Explanation {
  const { status, code, type, message, param } = publicError(error, requestId, supportEmail);
  return {
    status,
    headers: faultHeaders(error),
    body: JSON.stringify({ error: { code, message, type, param } }),
  };
}

/** Field names come from the client, which may send any number of any length without authentication. */
const problemsMax = 1000;
const nameCharactersMax = 200;

/** For the admin API, the account API and the sign-in: the envelope with the reason, its parameters and problems. */
export function explainWithReason(error: unknown, requestId: string, supportEmail?: string): Explanation {
  const { status, code, type, message } = publicError(error, requestId, supportEmail);
  const { reason, problems = [] } = error instanceof GatewayError ? error : {};
  const why = problems.length > 0 && reason === undefined ? 'invalid_fields' : reason?.code;
  const listed = problems.slice(0, problemsMax).map(({ field, entry, reason: rule, params, fix }) => ({
    field: field.slice(0, nameCharactersMax),
    entry: entry?.slice(0, nameCharactersMax),
    reason: rule,
    params,
    fix,
  }));
  return {
    status,
    headers: faultHeaders(error),
    body: JSON.stringify({
      error: {
        code,
        message,
        type,
        reason: why ?? reasonOfCase(caseOf(error).errorCase),
        params: reason?.params ?? {},
        ...(listed.length > 0 && { problems: listed }),
      },
    }),
  };
}

export function faultHeaders(error: unknown): readonly string[] {
  return error instanceof HttpFault ? (error.headers ?? []) : [];
}

function caseOf(error: unknown): { errorCase: ErrorCase; detail: string | undefined; code?: string | undefined } {
  if (error instanceof GatewayError) return { errorCase: error.case, detail: error.detail, code: error.code };
  if (error instanceof HttpFault) return { errorCase: error.kind, detail: error.detail };
  return { errorCase: 'internal-error', detail: undefined };
}
