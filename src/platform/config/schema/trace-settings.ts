import type { Config } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { TraceSettings } from '../../../core/request-trace.ts';

/** Returns `undefined` unless the file or the environment names a collector. */
export function traceSettings(
  { telemetry: { traces } }: Pick<Config, 'telemetry'>,
  env: Environment,
): TraceSettings | undefined {
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none';
  const byEnvironment = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (isOff || (traces.endpoint === undefined && !byEnvironment)) return undefined;
  const url = traces.endpoint === undefined ? undefined : tracesAddress(traces.endpoint);
  return { url, ...(traces.sample === undefined ? sampling(env) : { share: traces.sample, followsClient: true }) };
}

function tracesAddress(endpoint: string): string {
  return endpoint.endsWith('/v1/traces') ? endpoint : `${endpoint.replace(/\/+$/, '')}/v1/traces`;
}

/** The samplers of the OpenTelemetry conventions. */
function sampling(env: Environment): Pick<TraceSettings, 'share' | 'followsClient'> {
  const sampler = env['OTEL_TRACES_SAMPLER'] ?? 'parentbased_always_on';
  const share = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? 1);
  const followsClient = sampler.startsWith('parentbased_');
  if (sampler.endsWith('always_off')) return { share: 0, followsClient };
  const hasShare = sampler.endsWith('traceidratio') && share >= 0 && share <= 1;
  return { share: hasShare ? share : 1, followsClient };
}
