import type { Config } from './config.ts';
import type { Environment } from './environment.ts';

/** Where traces go, and of which requests. */
export interface TraceSettings {
  /** The whole address; without one, what the environment says counts. */
  readonly url: string | undefined;
  /** The part of requests that is traced. */
  readonly share: number;
  /** Whether a request that comes with a trace is traced if its client traces it, and only then. */
  readonly followsClient: boolean;
}

/** Nothing unless the file or the environment names a receiver. */
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

/** The samplers that the conventions name. */
function sampling(env: Environment): Pick<TraceSettings, 'share' | 'followsClient'> {
  const sampler = env['OTEL_TRACES_SAMPLER'] ?? 'parentbased_always_on';
  const share = Number(env['OTEL_TRACES_SAMPLER_ARG'] ?? 1);
  const followsClient = sampler.startsWith('parentbased_');
  if (sampler.endsWith('always_off')) return { share: 0, followsClient };
  const isShareSaid = sampler.endsWith('traceidratio') && share >= 0 && share <= 1;
  return { share: isShareSaid ? share : 1, followsClient };
}
