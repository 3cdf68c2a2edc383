import type { Config } from '../platform/config/config.ts';
import type { Environment } from '../platform/config/environment.ts';
import { traceSettings } from '../platform/config/schema/trace-settings.ts';
import type { UpstreamSpec } from '../platform/config/schema/upstream.ts';
import type { Clock } from '../core/time/clock.ts';
import { type LabelSource, LabelValues } from '../operate/telemetry/label-values.ts';
import type { Log } from '../operate/telemetry/logs/log.ts';
import { repeatedError } from '../operate/telemetry/logs/repeated-error.ts';
import { SurfaceNames } from '../operate/telemetry/traces/surface-name.ts';
import { presets } from '../serving/upstreams/providers/presets.ts';
import type { ServerAddress } from '../operate/telemetry/traces/request-spans.ts';
import type { Traces } from '../operate/telemetry/traces/traces.ts';

interface TracingParts {
  readonly config: Config;
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Log;
  readonly build: string;
  readonly current: () => Pick<LabelSource, 'catalog'> & { readonly upstreams: readonly UpstreamSpec[] };
}

/** Returns undefined, and loads nothing, unless the file or the environment names a trace collector. */
export async function openTraces(parts: TracingParts): Promise<Traces | undefined> {
  const { config, env, clock, log, build, current } = parts;
  const terms = traceSettings(config, env);
  if (!terms) return undefined;
  const { Traces: Opened } = await import('../operate/telemetry/traces/traces.ts');
  return new Opened({
    terms,
    version: build,
    labels: new LabelValues(current),
    surfaces: new SurfaceNames(config.messagesPrefix),
    now: clock.now,
    addressOf: (name) => addressOf(current().upstreams.find((upstream) => upstream.name === name)),
    onError: repeatedError(
      clock,
      (error) => log.warn({ error: String(error) }, 'traces could not be sent'),
      logEveryMs,
    ),
  });
}

/** The host and port of an upstream; undefined for upstreams with several, by region or resource. */
function addressOf(spec: UpstreamSpec | undefined): ServerAddress | undefined {
  const baseUrl = spec?.baseUrl ?? presets.find(({ name }) => name === spec?.kind)?.baseUrl;
  if (baseUrl === undefined) return undefined;
  const { hostname: host, port, protocol } = new URL(baseUrl);
  return { host, port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port) };
}

/** A collector that is unreachable stays so for a while; log it once a minute. */
const logEveryMs = 60_000;
