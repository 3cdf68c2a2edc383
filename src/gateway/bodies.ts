import type { Pepper } from '../accounts/key-digest.ts';
import { BodyKeeper, type BodySettings } from '../bodies/body-keeper.ts';
import { storedBodies } from '../bodies/stored-bodies.ts';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/time/clock.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../telemetry/logs/log.ts';
import { repeatedError } from '../telemetry/logs/repeated-error.ts';
import { deletionError } from './deletion-error.ts';

/** Stores request bodies for keys that opt in, and deletes them in time. */
export interface Bodies {
  readonly keeper: BodyKeeper;
  start(): void;
  /** Stores the remaining bodies. */
  stop(): Promise<void>;
}

interface BodyStoreParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Pepper;
  readonly log: Log;
  /** Undefined if the configuration allows no stored bodies. */
  readonly settings: () => (BodySettings & { readonly keep: number }) | undefined;
  readonly dropped: ((requests: number) => void) | undefined;
}

/**
 * The current limits. Bodies are deleted with the record of their request, if not before: it is needed to find them.
 */
export function bodyTerms({ storedBodies, requests }: Pick<Config, 'storedBodies' | 'requests'>) {
  return storedBodies && { ...storedBodies, keep: Math.min(storedBodies.keep, requests.retention) };
}

export function openBodies({ log, dropped = () => {}, ...parts }: BodyStoreParts): Bodies {
  const { store, clock, settings } = parts;
  const onError = repeatedError(clock, (error, met) =>
    log.error({ error: String(error), met }, 'bodies could not be stored'),
  );
  const onRefused = (requestId: string, error: unknown) =>
    log.error(
      { request_id: requestId, error: String(error) },
      'the store rejected the bodies of a request; they were dropped',
    );
  const keeper = new BodyKeeper({ ...parts, dropped, onError, onRefused });
  const keepMs = (): number => settings()?.keep ?? 0;
  const retention = storedBodies.retention({ store, clock, keepMs, onError: deletionError(log) });
  return {
    keeper,
    start: () => retention.start(),
    stop() {
      retention.stop();
      return keeper.stop();
    },
  };
}
