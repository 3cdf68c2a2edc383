import type { Attempt, OwnAttempt, OwnRequestDetail, RequestDetail } from '../../api/wire.ts';
import { useText } from '../../text/text.tsx';

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

/** The name of a provider in the user's language. The gateway sends numbers for providers whose names it hides. */
export function useProviderName(): (provider: string) => string {
  const { t } = useText();
  return (provider) => {
    const number = /^provider (\d+)$/.exec(provider)?.[1];
    return number === undefined ? provider : t('request.providerNumber', { number });
  };
}

/** Records are written in batches, shortly after the answer has ended. */
const freshMs = 30_000;

/** Whether a request is so recent that its record may not be written yet. Ids start with a timestamp. */
export function isFresh(id: string, now: number): boolean {
  const [, ...parts] = /^(?:[a-z]+[-_])?(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})/.exec(id) ?? [];
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0] = parts.map(Number);
  return parts.length > 0 && now - Date.UTC(year, month - 1, day, hour, minute, second, millisecond) < freshMs;
}
