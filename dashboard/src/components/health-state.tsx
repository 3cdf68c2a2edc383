import type { HealthName } from '../api/resource.ts';
import type { FixedTextKey } from '../text/text.tsx';
import { useText } from '../text/text.tsx';
import classes from './health-state.module.css';

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
    <span className={classes['state']} title={dotOnly ? t(word) : undefined}>
      <span
        className={`${classes['dot']} ${classes[look]}`}
        {...(dotOnly ? { role: 'img', 'aria-label': t(word) } : { 'aria-hidden': true })}
      />
      {!dotOnly && t(word)}
    </span>
  );
}

const states: Readonly<Record<HealthName | 'off' | 'failed' | 'unused', readonly [FixedTextKey, string]>> = {
  healthy: ['upstreams.stateHealthy', 'good'],
  ramping: ['upstreams.stateRamping', 'warning'],
  'half-open': ['upstreams.stateHalfOpen', 'warning'],
  ejected: ['upstreams.stateEjected', 'bad'],
  disabled: ['upstreams.stateCredentialRejected', 'bad'],
  off: ['upstreams.stateOff', 'off'],
  failed: ['upstreams.healthFailed', 'bad'],
  unused: ['upstreams.stateUnused', 'off'],
};
