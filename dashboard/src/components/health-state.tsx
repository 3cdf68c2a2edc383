import type { HealthName } from '../api/resource.ts';
import type { PlainKey } from '../text/text.tsx';
import { useText } from '../text/text.tsx';
import classes from './health-state.module.css';

/** Off is one that gets no requests, failed one that a test got no answer from; null is one that this process does not use. */
export type HealthLabel = HealthName | 'off' | 'failed' | null;

export interface HealthStateProps {
  readonly state: HealthLabel;
  /** Only the dot is seen; the word is left to those who hear the page. */
  readonly dotOnly?: boolean;
}

/** How an upstream or one of its credentials stands: a dot and the word for it, since colour alone tells nobody all. */
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

const states: Readonly<Record<HealthName | 'off' | 'failed' | 'unused', readonly [PlainKey, string]>> = {
  healthy: ['upstreams.stateHealthy', 'good'],
  ramping: ['upstreams.stateRamping', 'warning'],
  'half-open': ['upstreams.stateHalfOpen', 'warning'],
  ejected: ['upstreams.stateEjected', 'bad'],
  disabled: ['upstreams.stateRefused', 'bad'],
  off: ['upstreams.stateOff', 'off'],
  failed: ['upstreams.healthFailed', 'bad'],
  unused: ['upstreams.stateUnused', 'off'],
};
