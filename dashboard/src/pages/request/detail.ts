import type { Attempt, OwnAttempt, OwnRequestDetail, RequestDetail } from '../../api/wire.ts';

/** The timing of one attempt. */
export type Times = Pick<
  OwnAttempt,
  'wait_ms' | 'backoff_ms' | 'position' | 'began_ms' | 'ended_ms' | 'first_event_ms'
>;

export type AttemptStep = OwnAttempt | Attempt;

/** The details of a request, for a member or an operator. */
export type Detail = OwnRequestDetail | RequestDetail;

export function isOperatorDetail(detail: Detail): detail is RequestDetail {
  return 'notes' in detail;
}

export type NamedTarget = { readonly upstream: string } | { readonly provider: string };

/** The name of the upstream, or the number that replaces it. */
export function providerOf(step: NamedTarget): string {
  return 'upstream' in step ? step.upstream : step.provider;
}

/** The result of a request. */
export type RequestOutcome =
  | 'succeeded'
  | 'interrupted'
  | 'rejected'
  | 'failed'
  | 'running'
  | 'clientDisconnected'
  | 'unrecorded';

export function outcomeOf(detail: Detail): RequestOutcome {
  if (detail.state === 'open') return 'running';
  if (detail.status === null) return 'unrecorded';
  if (detail.status >= 500) return 'failed';
  if (detail.status >= 400) return 'rejected';
  if (detail.error_case !== null) return 'interrupted';
  return detail.client_gone ? 'clientDisconnected' : 'succeeded';
}
