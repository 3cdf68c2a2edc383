import { type ErrorCase, errorTable } from 'chat-formats/error-table.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { HttpFault } from '../../../serving/http/fault.ts';
import type { ExchangeSummary } from '../../../serving/http/server-options.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import type { Log } from './log.ts';
import type { RequestLineName } from './log-names.ts';
import { sampleFraction } from '../traces/share-of.ts';

interface AccessLogSettings {
  /** Probes request these paths every few seconds. They are logged at level `debug` only. */
  readonly quietPaths: ReadonlySet<string>;
  /** The fraction of successful requests that get a log line. */
  readonly share: number;
}

export type WriteLine = (done: ExchangeSummary, record?: RequestRecord) => void;

/** One line a request. Only failures are errors, also after status 200; client errors and refusals are `info`. */
export function accessLog(log: Log, { quietPaths, share }: AccessLogSettings): WriteLine {
  return (done, record) => {
    if (quietPaths.has(done.path)) log.debug(lineOf(done, record), 'request');
    else if (isFailure(done)) log.error({ ...lineOf(done, record), cause: causeOf(done.error) }, 'request failed');
    else if (share === 1 || !isSuccess(done) || sampleFraction(done.id) < share)
      log.info(lineOf(done, record), 'request');
  };
}

type AccessLogLine = Readonly<Partial<Record<RequestLineName, string | number | boolean | undefined>>>;

/** One object literal, because this runs for every request. Merging two objects would cost twice as much. */
function lineOf(done: ExchangeSummary, record: RequestRecord | undefined): AccessLogLine {
  const { id, method, address, status, durationMs, clientGone } = done;
  return {
    id,
    method,
    path: loggedPath(done),
    address: address === '' ? undefined : address,
    status,
    ms: Math.round(durationMs),
    gone: clientGone || undefined,
    case: caseOf(done),
    account: record?.accountId,
    key: record?.keyId,
    package: record?.packageName,
    model: record?.model,
    upstream: record?.upstream,
    attempts: record?.attemptCount,
    wait_ms: record?.waitMs,
    first_byte_ms: record?.firstByteMs,
    input_tokens: record?.promptTokens,
    output_tokens: record?.completionTokens,
    finish: record?.finish,
  };
}

/**
 * Sign-in links contain secrets. A client may also have pasted a key into the path by accident. An imported key can have
 * any shape, so long segments of paths without an endpoint are shortened.
 */
function loggedPath({ path, error }: ExchangeSummary): string {
  if (error instanceof HttpFault && error.kind === 'not-found') return path.replace(longSegment, '$1…');
  return path.includes('gw') || path.includes('sk-') ? path.replace(secrets, '$1…') : path;
}

const secrets = /\b(gw[akl]_|sk-)[\w-]+/g;
const longSegment = /([^/]{4})[^/]{12,}/g;

function isSuccess(done: ExchangeSummary): boolean {
  return done.status < 400 && !done.clientGone && caseOf(done) === undefined;
}

/** If the client disconnected, that is the reason, regardless of other errors at the time. */
function isFailure({ status, clientGone, error }: ExchangeSummary): boolean {
  if (status >= 500 || clientGone) return status >= 500;
  const errorCase = caseOf({ clientGone, error });
  return errorCase !== undefined && errorTable[errorCase].status >= 500;
}

/** Returns the error case of an exchange, or `undefined` if it had no error or only the client disconnected. */
export function caseOf({ clientGone, error }: Pick<ExchangeSummary, 'clientGone' | 'error'>): ErrorCase | undefined {
  if (error instanceof GatewayError) return error.case;
  if (error instanceof HttpFault) return error.kind;
  return error === undefined || clientGone ? undefined : 'internal-error';
}

/** Returns the underlying error, for the log only: clients never receive it. */
function causeOf(error: unknown): string | undefined {
  const cause = error instanceof GatewayError ? error.cause : error;
  if (error instanceof GatewayError && cause instanceof Error) return cause.message;
  return cause instanceof Error ? cause.stack : undefined;
}
