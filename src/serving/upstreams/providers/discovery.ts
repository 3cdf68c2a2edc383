import { environmentProxies } from '../../../platform/config/schema/proxy.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { fetchText } from '../http1/fetch-text.ts';
import { decodeModelList, isGatewayList, type ListedModel } from './model-list.ts';
import { listingHeaders, type Preset } from './preset.ts';
import { presets as knownPresets } from './presets.ts';
import { redactor } from '../answer/redaction.ts';

export interface DiscoveryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly fetchTimeoutMs?: number;
  readonly localConnectTimeoutMs?: number;
  readonly presets?: readonly Preset[];
  /** Hosts to search instead of 127.0.0.1, such as the host of a container. */
  readonly localHosts?: readonly string[];
}

/** A provider that can be used without further configuration. */
interface DiscoveredProvider {
  readonly preset: string;
  readonly baseUrl: string;
  /** The environment variable with its credential. Providers on this machine need none. */
  readonly apiKeyEnv?: string;
  readonly models: readonly ListedModel[];
}

interface Discovery {
  readonly found: readonly DiscoveredProvider[];
  /** Providers with a credential that could not be used, with the reason. */
  readonly missed: readonly { readonly preset: string; readonly reason: string }[];
}

const listBytesMax = 8 * 1024 * 1024;

/** Credentials in the environment, and usual local ports. Never throws. An absent provider is not mentioned. */
export async function discover(options: DiscoveryOptions): Promise<Discovery> {
  const addresses = (options.presets ?? knownPresets).flatMap((preset) => addressesOf(preset, options));
  const results = await Promise.all(addresses.map((address) => probe(address, options)));
  return {
    found: results.flatMap((result) => ('models' in result ? [result] : [])),
    missed: results.flatMap((result) => ('reason' in result ? [result] : [])),
  };
}

interface ProbeAddress {
  readonly preset: Preset;
  readonly baseUrl: string;
  readonly apiKeyEnv: string | undefined;
}

type DiscoveryResult =
  | DiscoveredProvider
  | { readonly preset: string; readonly reason: string }
  | { readonly isAbsent: true };

function addressesOf(preset: Preset, { env, localHosts = ['127.0.0.1'] }: DiscoveryOptions): readonly ProbeAddress[] {
  if (preset.isEnabledByKey === false) return [];
  if (preset.environment.length === 0) {
    return localHosts.map((host) => ({
      preset,
      baseUrl: preset.baseUrl.replace('127.0.0.1', host),
      apiKeyEnv: undefined,
    }));
  }
  const apiKeyEnv = preset.environment.find((name) => (env[name] ?? '').trim() !== '');
  return apiKeyEnv === undefined ? [] : [{ preset, baseUrl: preset.baseUrl, apiKeyEnv }];
}

async function probe(
  { preset, baseUrl, apiKeyEnv }: ProbeAddress,
  options: DiscoveryOptions,
): Promise<DiscoveryResult> {
  const { env, clock, fetchTimeoutMs = 2000, localConnectTimeoutMs = 300 } = options;
  const isLocal = apiKeyEnv === undefined;
  const key = isLocal ? undefined : env[apiKeyEnv]?.trim();
  try {
    const { head, text } = await fetchText(new URL(preset.listing?.path ?? 'models', `${baseUrl}/`), {
      clock,
      proxyFor: environmentProxies(env),
      headers: { accept: 'application/json', 'user-agent': 'chat-gateway', ...listingHeaders(preset, key) },
      connectTimeoutMs: isLocal ? localConnectTimeoutMs : fetchTimeoutMs,
      timeoutMs: fetchTimeoutMs,
      bytesMax: listBytesMax,
    });
    if (head.header('x-gateway-version') !== undefined || isGatewayList(text)) return { isAbsent: true };
    if (head.status !== 200)
      return missed(preset, isLocal, `the request for its list of models was answered with ${head.status}`);
    const models = decodeModelList(text, preset.listing?.idPrefix);
    if (models === undefined) return missed(preset, isLocal, 'its response is not a list of models');
    if (models.length === 0) return { preset: preset.name, reason: 'it lists no chat models' };
    return { preset: preset.name, baseUrl, ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }), models };
  } catch (error) {
    return missed(preset, isLocal, redactor(key ? [key] : [])((error as Error).message));
  }
}

/** Other programs on a local port are ignored. */
function missed(preset: Preset, isLocal: boolean, reason: string): DiscoveryResult {
  return isLocal ? { isAbsent: true } : { preset: preset.name, reason };
}
