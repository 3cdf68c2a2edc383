import type { Log } from './log.ts';

/** A change in the health of one credential of an upstream. */
interface LoggedHealthChange {
  readonly upstream: string;
  readonly credential: number;
  readonly state: string;
  readonly error: string | undefined;
}

/**
 * A credential that a provider refuses is logged as `error`, because an operator must fix it. Other changes need no
 * operator.
 */
export function healthLog(log: Log): (change: LoggedHealthChange) => void {
  return (change) => {
    if (change.state === 'disabled') log.error(change, 'credential disabled: the provider refuses it');
    else if (change.error !== undefined) log.warn(change, 'credential ejected: its upstream keeps failing');
    else log.info(change, 'credential healthy: its upstream answers again');
  };
}
