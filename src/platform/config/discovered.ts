import type { PassThroughEndpoint } from 'chat-formats/chat/pass-through-endpoint.ts';
import type { Environment } from './environment.ts';
import { modelSchema } from './schema/model.ts';
import { upstreamSchema } from './schema/upstream.ts';

/** A provider discovered in the environment or on its usual local port, with the models it lists. */
export interface DetectedProvider {
  readonly preset: string;
  readonly baseUrl: string;
  /** The environment variable that holds its credential; local providers need none. */
  readonly apiKeyEnv?: string;
  readonly models: readonly string[];
}

/** The result of a discovery: providers that work without a configuration. */
export interface Findings {
  readonly providers: readonly DetectedProvider[];
  /** Providers that were detected but cannot be used. */
  readonly missed: readonly { readonly preset: string; readonly reason: string }[];
}

/**
 * Discovered providers as sections of a configuration. Their models are free: no price is set, and an operator without
 * a file uses their own key. If two providers have a model of the same name, the first one keeps the name; the others
 * get the name of their preset as a prefix. Entries that would make the configuration invalid are left out.
 */
export function discoveredSections(providers: readonly DetectedProvider[], env: Environment) {
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

function upstreamEntry({ preset, baseUrl, apiKeyEnv }: DetectedProvider, env: Environment) {
  const key = apiKeyEnv === undefined ? undefined : env[apiKeyEnv]?.trim();
  return { name: preset, kind: preset, base_url: baseUrl, ...(key ? { api_key: key } : {}) };
}

function modelEntry(id: string, upstream: string, model: string) {
  const [, endpoint] = endpointsByName.find(([pattern]) => pattern.test(model)) ?? [];
  return { id, routes: [{ upstream, model }], price: 'free', ...(endpoint && { endpoints: [endpoint] }) };
}

/** Providers list all models in the same way, so models that are not for chat are detected by their name. */
const endpointsByName: readonly (readonly [RegExp, PassThroughEndpoint])[] = [
  [/embed/i, 'embeddings'],
  [/rerank/i, 'rerank'],
  [/moderation/i, 'moderations'],
  [/^(?:dall-e|gpt-image|chatgpt-image)/i, 'images'],
  [/^tts-|-tts\b/i, 'speech'],
  [/^whisper|-transcribe\b/i, 'transcriptions'],
];
