import type { FindingList } from '../findings.ts';
import type { itemNames } from '../item-name.ts';
import type { PlannedUpstream } from '../plan.ts';
import { azureAddress, azureResource, kindNames, plannedUpstream, type UpstreamDraft } from '../planned-upstream.ts';
import { onlySecrets, Secret } from '../secret.ts';
import { isTrue } from '../table-reader.ts';
import { countOf, recordOf, textOf, textsOf, type Values } from '../values.ts';
import { credentialIn, type FoundCredential } from './credentials.ts';
import type { EncryptionKey } from './decrypt.ts';
import type { BifrostSource } from './source.ts';

const kinds = kindNames(
  'openai azure anthropic bedrock cohere vertex mistral ollama groq openrouter perplexity cerebras xai fireworks deepseek vllm',
  { gemini: 'google', sgl: 'openai' },
);

const allModels = '*';

/** Keys of one provider that serve the same models with the same settings: one upstream. */
export interface KeyGroup {
  readonly provider: string;
  readonly upstream: string;
  /** `undefined`: all models of the provider. */
  readonly models: readonly string[] | undefined;
  readonly excluded: readonly string[];
  /** The provider's names of models, by the names that clients use. */
  readonly aliases: ReadonlyMap<string, string>;
  readonly weight: number;
}

interface ProviderParts {
  readonly source: BifrostSource;
  readonly key: EncryptionKey | undefined;
  readonly named: ReturnType<typeof itemNames>;
  readonly findings: FindingList;
}

export function planProviders(parts: ProviderParts): {
  readonly upstreams: readonly PlannedUpstream[];
  readonly groups: readonly KeyGroup[];
} {
  const upstreams: PlannedUpstream[] = [];
  const groups: KeyGroup[] = [];
  for (const provider of parts.source.providers) {
    const name = textOf(provider['name']) ?? '';
    const keys = parts.source.providerKeys.filter((key) => textOf(key['provider']) === name);
    const sets = [...Map.groupBy(keys, (key) => settingsKey(key)).values()];
    const all = sets.length > 0 ? sets : [[{}]];
    for (const [index, set] of all.entries()) {
      const label = textOf(set[0]?.['key_id'] ?? set[0]?.['name']) ?? '';
      const sourceId = index === 0 ? name : `${name}:${label}`;
      const upstream = parts.named(index === 0 ? name : `${name}-${label}`, sourceId);
      upstreams.push(upstreamOf(provider, set, { sourceId, upstream }, parts));
      groups.push(groupOf(name, upstream, set));
    }
  }
  return { upstreams, groups };
}

/** Keys with equal settings share an upstream. */
function settingsKey(key: Values): string {
  const own = Object.entries(key).filter(([field]) => /^(azure|vertex|bedrock|vllm|ollama|sgl)_/.test(field));
  return JSON.stringify([
    key['models'],
    key['blacklisted_models'],
    key['aliases'],
    isEnabled(key),
    Object.fromEntries(own),
  ]);
}

export function isEnabled({ enabled }: Values): boolean {
  return enabled === undefined || isTrue(enabled);
}

function upstreamOf(
  provider: Values,
  keys: readonly Values[],
  { sourceId, upstream }: { readonly sourceId: string; readonly upstream: string },
  { source, key, findings }: ProviderParts,
): PlannedUpstream {
  const name = textOf(provider['name']) ?? '';
  const base = textOf(recordOf(provider['custom_provider_config'])['base_provider_type']) ?? name;
  const kind = kinds.get(base);
  const network = recordOf(provider['network_config']);
  const max = countOf(recordOf(provider['concurrency_and_buffer_size'])['concurrency']);
  const [first = {}] = keys;
  const { fields, secrets, lacks } = ownSettings(base, first, key);
  const values = keys.map((each) => credentialIn(each, 'value', key));
  const apiKeys = values.filter((value) => value instanceof Secret);
  const [apiKey] = apiKeys;
  const missing = [...values, ...lacks].find((value) => typeof value === 'string');
  const headers = Object.entries(recordOf(network['extra_headers'])).map(([header, value]) => [
    header,
    new Secret(textOf(value) ?? ''),
  ]);
  const draft: UpstreamDraft = {
    sourceId,
    name: upstream,
    kind,
    provider: base,
    fields: {
      base_url: addressOf(base, textOf(network['base_url'])),
      max_concurrency: max,
      ...fields,
    },
    secrets: {
      ...(apiKey && (apiKeys.length === 1 ? { api_key: apiKey } : { api_keys: apiKeys })),
      ...secrets,
      headers: Object.fromEntries(headers) as Record<string, Secret>,
    },
    lacks: apiKey === undefined ? missing : undefined,
    isEnabled: isEnabled(first),
  };
  return plannedUpstream(draft, source.target, findings);
}

interface OwnSettings {
  readonly fields: UpstreamDraft['fields'];
  readonly secrets: Readonly<Record<string, Secret>>;
  readonly lacks: readonly FoundCredential[];
}

function ownSettings(base: string, key: Values, opener: EncryptionKey | undefined): OwnSettings {
  const of = (field: string) => credentialIn(key, field, opener);
  const plain = (field: string) => {
    const found = of(field);
    const text = found instanceof Secret ? found.reveal() : undefined;
    return text?.startsWith('${') ? undefined : text;
  };
  const withSecrets = (fields: OwnSettings['fields'], found: Readonly<Record<string, FoundCredential>>) => ({
    fields,
    secrets: onlySecrets(found),
    lacks: Object.values(found),
  });
  switch (base) {
    case 'azure': {
      const endpoint = plain('azure_endpoint');
      const resource = azureResource(endpoint);
      if (resource !== undefined) return withSecrets({ resource_name: resource }, {});
      return withSecrets({ base_url: endpoint && azureAddress(endpoint) }, {});
    }
    case 'bedrock': {
      const found = {
        access_key_id: of('bedrock_access_key'),
        secret_access_key: of('bedrock_secret_key'),
        session_token: of('bedrock_session_token'),
      };
      return withSecrets({ region: plain('bedrock_region') ?? 'us-east-1' }, found);
    }
    case 'vertex': {
      const fields = { project: plain('vertex_project_id'), location: plain('vertex_region') };
      return withSecrets(fields, { service_account: of('vertex_auth_credentials') });
    }
    case 'ollama':
    case 'sgl':
    case 'vllm':
      return withSecrets({ base_url: addressOf(base, plain(`${base}_url`)) }, {});
    default:
      return withSecrets({}, {});
  }
}

/** Bifrost appends `/v1` to addresses. */
function addressOf(base: string, address: string | undefined): string | undefined {
  if (address === undefined || !URL.canParse(address)) return undefined;
  const plain = address.replace(/\/+$/, '');
  return new URL(plain).pathname === '/' && base !== 'azure' ? `${plain}/v1` : plain;
}

function groupOf(provider: string, upstream: string, keys: readonly Values[]): KeyGroup {
  const [first = {}] = keys;
  const models = textsOf(first['models']);
  const aliases = Object.entries(recordOf(first['aliases'])).flatMap(([name, value]) => {
    const target = textOf(value) ?? textOf(recordOf(value)['model_id'] ?? recordOf(value)['model']);
    return target === undefined ? [] : [[name, target] as const];
  });
  const weights = keys.map((key) => Number(textOf(key['weight']) ?? '1'));
  const weight = weights.reduce((sum, each) => sum + (Number.isFinite(each) && each > 0 ? each : 0), 0);
  return {
    provider,
    upstream,
    // A provider without keys, such as one of an own network, serves all of its models.
    models: first['models'] === undefined || models[0] === allModels ? undefined : models,
    excluded: textsOf(first['blacklisted_models']),
    aliases: new Map(aliases),
    weight: Math.min(1000, Math.max(1, Math.round(weight * 10))),
  };
}
