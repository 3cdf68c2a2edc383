import type { Clock } from '../core/time/clock.ts';
import type { Failpoint } from '../core/failpoint.ts';
import { requestRates } from '../money/requests/request-rates.ts';
import { requestLog } from '../money/requests/request-log.ts';
import type { RequestRecord } from '../money/requests/request-record.ts';
import { requestRetention } from '../money/requests/retention.ts';
import { rollupWorker } from '../money/requests/rollups/rollup-worker.ts';
import type { Log } from '../operate/telemetry/logs/log.ts';
import { logRepeated } from '../operate/telemetry/logs/repeated-error.ts';
import { deletionError } from './logged-errors.ts';
import type { Config } from '../platform/config/config.ts';
import { healthPaths } from '../serving/surfaces/health.ts';
import { accessLog } from '../operate/telemetry/logs/access-log.ts';
import { RequestLines } from '../operate/telemetry/logs/request-lines.ts';
import { SurfaceNames } from '../operate/telemetry/traces/surface-name.ts';
import type { ServiceParts } from './gateway.ts';

export type Records = ReturnType<typeof requestRecords>;

interface RecordParts extends ServiceParts {
  readonly failpoint: Failpoint;
  readonly observers: readonly { served(record: RequestRecord): void }[];
  readonly dropped: ((records: number) => void) | undefined;
  readonly keep: () => { readonly retention: number; readonly usageRetention: number };
}

/** The records of requests, kept as long as configured, and the rates of the current minute. */
export function requestRecords({ store, clock, log, failpoint, observers, dropped, keep }: RecordParts) {
  const onDropped = (count: number) => {
    dropped?.(count);
    log.error({ count }, 'request records were dropped');
  };
  const onRefused = ({ id, accountId, cost }: RequestRecord, error: unknown) =>
    log.error(
      {
        request_id: id,
        account_id: accountId,
        cost: cost === undefined ? undefined : String(cost),
        error: String(error),
      },
      'the store rejected the record of a request; it was dropped, its charge is in the ledger',
    );
  const requests = requestLog({ store, onDropped, onRefused, failpoint });
  const rates = requestRates(clock.elapsed);
  const retention = requestRetention({
    store,
    keepMs: () => keep().retention,
    keepUsageMs: () => keep().usageRetention,
    onError: deletionError(log),
  });
  const rollups = rollupWorker(store, logRepeated(log, clock, 'usage could not be rolled up'));
  return {
    rates,
    write(record: RequestRecord): void {
      rates.count(record);
      for (const observer of observers) observer.served(record);
      requests.write(record);
    },
    start() {
      retention.start();
      rollups.start();
    },
    /** Writes the remaining records. */
    stop() {
      retention.stop();
      rollups.stop();
      return requests.stop();
    },
  };
}

/** The access log: one line per request, sampled as configured. */
export function accessLines({ log: settings, messagesPrefix }: Config, log: Log, clock: Clock): RequestLines {
  const quietPaths = new Set([...healthPaths, '/metrics']);
  const write = accessLog(log, { quietPaths, share: settings.sample });
  return new RequestLines({ clock, surfaces: new SurfaceNames(messagesPrefix), write });
}
