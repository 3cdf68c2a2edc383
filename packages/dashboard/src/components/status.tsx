import type { ReactNode } from 'react';
import type { HealthName } from '../api/resource.ts';
import { type FixedTextKey, useText } from '../text/text.tsx';
import classes from './status.module.css';

/** `off` gets no requests. `failed` did not answer a test. Null is not used by this process. */
export type HealthLabel = HealthName | 'off' | 'failed' | null;

export interface HealthStateProps {
  readonly state: HealthLabel;
  /** Shows only the dot, with the word as its label for screen readers. */
  readonly dotOnly?: boolean;
}

/** The state of an upstream or credential, as a dot and a word, because colour alone is not accessible. */
export function HealthState({ state, dotOnly = false }: HealthStateProps) {
  const { t } = useText();
  const [word, look] = states[state ?? 'unused'];
  return (
    <span className={classes['status']} title={dotOnly ? t(word) : undefined}>
      <span
        className={classes['dot']}
        data-tone={look}
        {...(dotOnly ? { role: 'img', 'aria-label': t(word) } : { 'aria-hidden': true })}
      />
      {!dotOnly && t(word)}
    </span>
  );
}

const states: Readonly<Record<HealthName | 'off' | 'failed' | 'unused', readonly [FixedTextKey, StatusTone]>> = {
  healthy: ['upstreams.stateHealthy', 'good'],
  ramping: ['upstreams.stateRamping', 'warning'],
  'half-open': ['upstreams.stateHalfOpen', 'warning'],
  ejected: ['upstreams.stateEjected', 'bad'],
  disabled: ['upstreams.stateCredentialRejected', 'bad'],
  off: ['upstreams.stateOff', 'off'],
  failed: ['upstreams.healthFailed', 'bad'],
  unused: ['upstreams.stateUnused', 'off'],
};

export type StatusTone = 'good' | 'warning' | 'bad' | 'neutral' | 'off';

/** A word or number with a dot in the colour of the outcome. */
export function StatusLabel({ tone, children }: { readonly tone: StatusTone; readonly children: ReactNode }) {
  return (
    <span className={classes['status']}>
      <span className={classes['dot']} data-tone={tone} />
      {children}
    </span>
  );
}

export interface StatusBadgeProps {
  readonly status: number;
  readonly errorCase: string | null;
}

/** The status. A stream that broke off after its 200 is marked as a failure. */
export function StatusBadge({ status, errorCase }: StatusBadgeProps) {
  const { t } = useText();
  const brokeOff = status < 400 && errorCase !== null;
  const tone = status >= 500 || brokeOff ? 'bad' : status >= 400 ? 'warning' : 'good';
  return (
    <StatusLabel tone={tone}>
      {brokeOff ? <span title={t('requests.interrupted')}>{status} ✕</span> : status}
    </StatusLabel>
  );
}
