/** An immutable value. Times are monotonic milliseconds. The caller may use one that is out if none is left. */
export interface Health {
  /** Failures since the last complete answer. */
  readonly failures: number;
  /** How often it was ejected; time in use lowers the count again. */
  readonly ejections: number;
  readonly out: { readonly until: number; readonly why: 'failures' | 'credential' } | undefined;
  /** Whether a request is testing if it can come back. */
  readonly isProbed: boolean;
  readonly returnedAt: number | undefined;
}

/** `half-open`: the ejection is over, and one request may try the credential. */
export type HealthStatus = 'healthy' | 'ramping' | 'half-open' | 'ejected' | 'disabled';

export const goodHealth: Health = {
  failures: 0,
  ejections: 0,
  out: undefined,
  isProbed: false,
  returnedAt: undefined,
};

export const failuresMax = 5;
export const ejectionStepMs = 30_000;
export const ejectionMaxMs = 300_000;
export const rampMs = 30_000;
/** A refused credential is fixed by people, not by time; it is tried again only at this interval. */
export const disabledMs = 300_000;

export function healthStatus({ out, isProbed, returnedAt }: Health, now: number): HealthStatus {
  if (!out) return returnedAt !== undefined && now < returnedAt + rampMs ? 'ramping' : 'healthy';
  if (now >= out.until && !isProbed) return 'half-open';
  return out.why === 'credential' ? 'disabled' : 'ejected';
}

const shareMin = 0.1;

/** The part of its weight that a credential gets: after an ejection little, so that it is not overloaded again. */
export function share(health: Health, now: number): number {
  const status = healthStatus(health, now);
  if (status === 'half-open') return shareMin;
  return status === 'ramping' ? Math.max(shareMin, (now - (health.returnedAt ?? now)) / rampMs) : 1;
}

/** A request was sent. The first one after an ejection is the probe. */
export function sent(health: Health, now: number): Health {
  return healthStatus(health, now) === 'half-open' ? { ...health, isProbed: true } : health;
}

/** An answer began: a credential that was out is back in use. */
export function begun(health: Health, now: number): Health {
  if (!health.out) return health;
  return { ...health, failures: 0, out: undefined, isProbed: false, returnedAt: now };
}

/** An answer ended, or its reader cancelled it. */
export function completed(health: Health): Health {
  return health.failures === 0 ? health : { ...health, failures: 0 };
}

/** A request ended without any evidence about the credential. */
export function noEvidence(health: Health): Health {
  return health.isProbed ? { ...health, isProbed: false } : health;
}

/** A credential that is out does not stay out longer for a failure, unless the request was the probe. */
export function failed(health: Health, now: number): Health {
  if (health.out) return now < health.out.until ? health : ejected(health, now);
  const failures = health.failures + 1;
  return failures < failuresMax ? { ...health, failures } : ejected(health, now);
}

/** The provider refused our credential; another refusal while it is out changes nothing. */
export function refused(health: Health, now: number): Health {
  if (health.out?.why === 'credential' && now < health.out.until) return health;
  return { ...health, failures: 0, isProbed: false, out: { until: now + disabledMs, why: 'credential' } };
}

function ejected(health: Health, now: number): Health {
  const { ejections: before, returnedAt } = health;
  const forgiven = returnedAt === undefined ? 0 : Math.floor((now - returnedAt) / ejectionStepMs);
  const ejections = Math.max(0, before - forgiven) + 1;
  const until = now + Math.min(ejections * ejectionStepMs, ejectionMaxMs);
  return { ...health, failures: 0, ejections, out: { until, why: 'failures' }, isProbed: false, returnedAt: undefined };
}
