import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { AttemptRecord } from '../../money/requests/attempt-record.ts';
import type { Attempt } from '../routing/calls/attempt.ts';

/**
 * The record of an attempt. Its times are relative to `startedMs` of the elapsed clock. A failure is described only in
 * the gateway's own words.
 */
export function recordedAttempt(attempt: Attempt, startedMs: number): AttemptRecord {
  const { route, credential, position, waitMs, pauseMs, beganMs, endedMs, firstEventMs, status, error } = attempt;
  return {
    upstream: route.upstream,
    model: route.model,
    credential,
    position,
    waitMs: Math.round(waitMs),
    pauseMs: pauseMs > 0 ? Math.round(pauseMs) : undefined,
    beganMs: Math.round(beganMs - startedMs),
    endedMs: Math.round(endedMs - startedMs),
    firstEventMs: firstEventMs === undefined ? undefined : Math.round(beganMs + firstEventMs - startedMs),
    status: status ?? statusIn(error),
    ...failureOf(error),
  };
}

/** The recorded fields of an error; empty without one. */
export function failureOf(error: unknown): Pick<AttemptRecord, 'errorCase' | 'reason'> {
  if (error === undefined) return {};
  if (!(error instanceof GatewayError)) return { errorCase: 'internal-error' };
  return { errorCase: error.case, reason: reasonOf(error) };
}

const reasonMax = 160;

/**
 * The gateway's messages quote others only after a colon, a quote or a brace. A provider may repeat the prompt there,
 * so only the text before is kept. A rejection is described by its status and, if present, the provider's code.
 */
function reasonOf({ cause, code }: GatewayError): string | undefined {
  const status = statusIn({ cause });
  const words = cause instanceof Error ? cause.message.replace(/^upstream \S+: /, '') : '';
  const own = status === undefined ? (/^[^:"'`{[<]*/.exec(words)?.[0] ?? '').trim() : `answered ${status}`;
  const reason = [own, code && `(${code})`].filter(Boolean).join(' ');
  return reason === '' ? undefined : reason.slice(0, reasonMax);
}

/** The status of a provider's rejection. */
function statusIn(error: unknown): number | undefined {
  const cause = error instanceof Object && 'cause' in error ? error.cause : undefined;
  if (!(cause instanceof Error) || !('status' in cause)) return undefined;
  return typeof cause.status === 'number' ? cause.status : undefined;
}
