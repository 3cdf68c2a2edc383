import type { Pepper } from '../platform/secrets/key-digest.ts';
import { BodyKeeper, type BodySettings } from '../work/bodies/body-keeper.ts';
import { storedBodies } from '../work/bodies/stored-bodies.ts';
import type { Config } from '../platform/config/config.ts';
import { logRepeated } from '../operate/telemetry/logs/repeated-error.ts';
import { deletionError } from './logged-errors.ts';
import type { ServiceParts } from './gateway.ts';

interface BodyStoreParts extends ServiceParts {
  readonly pepper: Pepper;
  /** Undefined if the configuration allows no stored bodies. */
  readonly settings: () => (BodySettings & { readonly keep: number }) | undefined;
  readonly dropped: ((requests: number) => void) | undefined;
}

/** The current limits. Bodies are deleted with the record of their request at the latest: it finds them. */
export function bodyTerms({ storedBodies, requests }: Pick<Config, 'storedBodies' | 'requests'>) {
  return storedBodies && { ...storedBodies, keep: Math.min(storedBodies.keep, requests.retention) };
}

/** Stores request bodies for keys that opt in, and deletes them in time. */
export function openBodies({ log, dropped = () => {}, ...parts }: BodyStoreParts) {
  const { store, clock, settings } = parts;
  const onError = logRepeated(log, clock, 'bodies could not be stored');
  const onRefused = (requestId: string, error: unknown) =>
    log.error(
      { request_id: requestId, error: String(error) },
      'the store rejected the bodies of a request; they were dropped',
    );
  const keeper = new BodyKeeper({ ...parts, dropped, onError, onRefused });
  const keepMs = (): number => settings()?.keep ?? 0;
  const retention = storedBodies.retention({ store, keepMs, onError: deletionError(log) });
  return {
    keeper,
    start: () => retention.start(),
    /** Stores the remaining bodies. */
    stop() {
      retention.stop();
      return keeper.stop();
    },
  };
}
