import { GatewayError } from '../core/gateway-error.ts';
import type { ExchangeSummary } from '../http/server.ts';
import type { Log } from './log.ts';

/**
 * One line a request. A client's mistake and an upstream's refusal are information; only our own failures are errors.
 * Quiet paths are asked every few seconds, whatever the answer, and only a debugger wants to see that.
 */
export function accessLog(log: Log, quietPaths: ReadonlySet<string>): (done: ExchangeSummary) => void {
  return ({ id, method, path, status, durationMs, error, clientGone }) => {
    const line = {
      id,
      method,
      path: path.replace(secrets, '$1…'),
      status,
      ms: Math.round(durationMs),
      gone: clientGone || undefined,
      ...faultOf(error),
    };
    if (quietPaths.has(path)) log.debug(line, 'request');
    else if (status >= 500) log.error({ ...line, cause: causeOf(error) }, 'request failed');
    else log.info(line, 'request');
  };
}

/** Links that let someone in are secrets, and so is what someone pasted into the wrong place. */
const secrets = /\b(gw[akl]_)\w+/g;

function faultOf(error: unknown): { case?: string } {
  return error instanceof GatewayError ? { case: error.case } : {};
}

/** What went wrong underneath, for the operator's eyes only. */
function causeOf(error: unknown): string | undefined {
  const cause = error instanceof GatewayError ? error.cause : error;
  if (error instanceof GatewayError && cause instanceof Error) return cause.message;
  return cause instanceof Error ? cause.stack : undefined;
}
