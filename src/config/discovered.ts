import type { PassThroughEndpoint } from '../core/pass-through-endpoint.ts';
import type { Environment } from './environment.ts';
import { modelSchema } from './model.ts';
import { upstreamSchema } from './upstream.ts';

/** A provider that was found in the environment or on its usual local port, with the models it lists. */
export interface DiscoveredProvider {
  readonly preset: string;
  readonly baseUrl: string;
  /** The environment variable that holds its credential; local providers need none. */
  readonly apiKeyEnv?: string;
  readonly models: readonly string[];
}

/** Providers that can be used without anyone having described them. */
export interface Findings {
  readonly providers: readonly DiscoveredProvider[];
  /** Those that looked usable and were not. */
  readonly missed: readonly { readonly preset: string; readonly reason: string }[];
}

/**
 * Found providers as sections of a configuration. Their models are free: nobody has set a price, and whoever runs
 * without a file is spending their own key. Two providers with a model of the same name keep apart: the first has the
 * plain name, the others put theirs in front. What would make the configuration invalid is left out.
 */
export function discoveredSections(providers: readonly DiscoveredProvider[], env: Environment) {
  const upstreams: Record<string, unknown>[] = [];
  const models: Record<string, unknown>[] = [];
  const taken = new Set<string>();
  for (const provider of providers) {
    const upstream = upstreamEntry(provider, env);
    if (!upstreamSchema.safeParse(upstream).success || taken.has(`upstream ${provider.preset}`)) continue;
    taken.add(`upstream ${provider.preset}`);
    upstreams.push(upstream);
    for (const listed of new Set(provider.models)) {
      const model = modelEntry(taken.has(listed) ? `${provider.preset}/${listed}` : listed, provider.preset, listed);
      if (taken.has(model.id) || !modelSchema.safeParse(model).success) continue;
      taken.add(model.id);
      models.push(model);
    }
  }
  return { upstreams, models };
}

function upstreamEntry({ preset, baseUrl, apiKeyEnv }: DiscoveredProvider, env: Environment) {
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv]?.trim();
  return { name: preset, kind: preset, base_url: baseUrl, ...(key ? { api_key: key } : {}) };
}

function modelEntry(id: string, upstream: string, model: string) {
  const [, endpoint] = endpointsByName.find(([pattern]) => pattern.test(model)) ?? [];
  return { id, routes: [{ upstream, model }], price: 'free', ...(endpoint && { endpoints: [endpoint] }) };
}

/** Providers list all their models alike; what nobody can talk to is known by its name. */
const endpointsByName: readonly (readonly [RegExp, PassThroughEndpoint])[] = [
  [/embed/i, 'embeddings'],
  [/rerank/i, 'rerank'],
  [/moderation/i, 'moderations'],
  [/^(?:dall-e|gpt-image|chatgpt-image)/i, 'images'],
  [/^tts-|-tts\b/i, 'speech'],
  [/^whisper|-transcribe\b/i, 'transcriptions'],
];
