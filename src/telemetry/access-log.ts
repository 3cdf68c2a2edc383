import { type ErrorCase, errorTable } from '../core/error-table.ts';
import { GatewayError } from '../core/gateway-error.ts';
import { HttpFault } from '../http/fault.ts';
import type { ExchangeSummary } from '../http/server.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { Log } from './log.ts';
import type { RequestLineName } from './log-names.ts';
import { shareOf } from './share-of.ts';

interface AccessLogSettings {
  /** Asked every few seconds, whatever the answer: only a debugger wants to see that. */
  readonly quietPaths: ReadonlySet<string>;
  /** The part of the requests that went well of which there is a line. */
  readonly share: number;
}

/** Writes the line of an exchange; what is known of its request stands in it too. */
export type WriteLine = (done: ExchangeSummary, record?: RequestRecord) => void;

/**
 * One line a request. A client's mistake and an upstream's refusal are information; only failures are errors, also those
 * that came after 200 had gone out.
 */
export function accessLog(log: Log, { quietPaths, share }: AccessLogSettings): WriteLine {
  return (done, record) => {
    if (quietPaths.has(done.path)) log.debug(lineOf(done, record), 'request');
    else if (isFailure(done)) log.error({ ...lineOf(done, record), cause: causeOf(done.error) }, 'request failed');
    else if (share === 1 || !isWell(done) || shareOf(done.id) < share) log.info(lineOf(done, record), 'request');
  };
}

type AccessLogLine = Readonly<Partial<Record<RequestLineName, string | number | boolean | undefined>>>;

/** In one piece: this is made for every request, and one put together of two would cost twice as much. */
function lineOf(done: ExchangeSummary, record: RequestRecord | undefined): AccessLogLine {
  const { id, method, path, address, status, durationMs, clientGone } = done;
  return {
    id,
    method,
    path: path.includes('gw') ? path.replace(secrets, '$1…') : path,
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

/** Links that let someone in are secrets, and so is what someone pasted into the wrong place. */
const secrets = /\b(gw[akl]_)\w+/g;

function isWell(done: ExchangeSummary): boolean {
  return done.status < 400 && !done.clientGone && caseOf(done) === undefined;
}

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
