import type { DeletionError } from '../store/deletion-rounds.ts';
import type { Log } from '../telemetry/log.ts';

/** What was to be gone by now is still there: operators have promised somebody that it would be. */
export function deletionError(log: Log): DeletionError {
  return (error, what) => log.error({ what, error: String(error) }, 'what is too old could not be deleted');
}
