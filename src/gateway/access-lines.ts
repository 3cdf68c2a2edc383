import type { Config } from '../config/config.ts';
import type { Clock } from '../core/time/clock.ts';
import { healthPaths } from '../surfaces/health.ts';
import { accessLog } from '../telemetry/logs/access-log.ts';
import type { Log } from '../telemetry/logs/log.ts';
import { RequestLines } from '../telemetry/logs/request-lines.ts';
import { SurfaceNames } from '../telemetry/traces/surface-name.ts';

/** The access log: one line per request, sampled as configured. */
export function accessLines({ log: settings, messagesPrefix }: Config, log: Log, clock: Clock): RequestLines {
  const quietPaths = new Set([...healthPaths, '/metrics']);
  const write = accessLog(log, { quietPaths, share: settings.sample });
  return new RequestLines({ clock, surfaces: new SurfaceNames(messagesPrefix), write });
}
