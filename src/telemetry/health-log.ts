import type { Log } from './log.ts';

/** A change of the standing of one credential of an upstream. */
interface LoggedHealthChange {
  readonly upstream: string;
  readonly credential: number;
  readonly standing: string;
  readonly error: string | undefined;
}

/** A credential that a provider refuses is an alarm, since only people can mend it; the rest mends itself. */
export function healthLog(log: Log): (change: LoggedHealthChange) => void {
  return (change) => {
    if (change.standing === 'disabled') log.error(change, 'a provider refuses our credential, which is out of use');
    else if (change.error !== undefined) log.warn(change, 'an upstream keeps failing and is out of use for a while');
    else log.info(change, 'an upstream answers again');
  };
}
