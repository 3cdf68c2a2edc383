import type { HealthChange } from '../../../serving/routing/health/credential.ts';
import type { Log } from './log.ts';

/** A credential that a provider refuses is logged as `error`: an operator must fix it. Other changes need no operator. */
export function healthLog(log: Log): (change: HealthChange) => void {
  return (change) => {
    if (change.state === 'disabled') log.error(change, 'credential disabled: the provider refuses it');
    else if (change.error !== undefined) log.warn(change, 'credential ejected: its upstream keeps failing');
    else log.info(change, 'credential healthy: its upstream answers again');
  };
}
