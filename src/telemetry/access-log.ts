import { type ErrorCase, errorTable } from '../core/error-table.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { HttpFault } from '../http/fault.ts';
import type { ExchangeSummary } from '../http/server.ts';
import type { Log } from './log.ts';

/**
 * One line a request. A client's mistake and an upstream's refusal are information; only failures are errors, also those
 * that came after 200 had gone out. Quiet paths are asked every few seconds, whatever the answer, and only a debugger
 * wants to see that.
 */
export function accessLog(log: Log, quietPaths: ReadonlySet<string>): (done: ExchangeSummary) => void {
  return (done) => {
    const { id, method, path, address, status, durationMs, error, clientGone } = done;
    const line = {
      id,
      method,
      path: path.replace(secrets, '$1…'),
      address: address === '' ? undefined : address,
      status,
      ms: Math.round(durationMs),
      gone: clientGone || undefined,
      case: caseOf(done),
    };
    if (quietPaths.has(path)) log.debug(line, 'request');
    else if (isFailure(done)) log.error({ ...line, cause: causeOf(error) }, 'request failed');
    else log.info(line, 'request');
  };
}

/** Links that let someone in are secrets, and so is what someone pasted into the wrong place. */
const secrets = /\b(gw[akl]_)\w+/g;

/** A client that left is what went wrong with its request, whatever else was in progress. */
function isFailure({ status, clientGone, error }: ExchangeSummary): boolean {
  if (status >= 500 || clientGone) return status >= 500;
  const found = caseOf({ clientGone, error });
  return found !== undefined && errorTable[found].status >= 500;
}

/** What an exchange ended with, by the error table; nothing where its client left. */
export function caseOf({ clientGone, error }: Pick<ExchangeSummary, 'clientGone' | 'error'>): ErrorCase | undefined {
  if (error instanceof GatewayError) return error.case;
  if (error instanceof HttpFault) return error.kind;
  return error === undefined || clientGone ? undefined : 'internal-error';
}

/** What went wrong underneath, for the operator's eyes only. */
function causeOf(error: unknown): string | undefined {
  const cause = error instanceof GatewayError ? error.cause : error;
  if (error instanceof GatewayError && cause instanceof Error) return cause.message;
  return cause instanceof Error ? cause.stack : undefined;
}
