import type { DeletionError } from '../platform/store/periodic-deletion.ts';
import type { Log } from '../operate/telemetry/logs/log.ts';

/** Logs that expired data was not deleted. Operators may have committed to its deletion. */
export function deletionError(log: Log): DeletionError {
  return (error, what) => log.error({ what, error: String(error) }, 'expired data could not be deleted');
}

export function reportInternalError(log: Log, error: unknown): void {
  log.error({ error: error instanceof Error ? error.stack : String(error) }, 'an unexpected error');
}
