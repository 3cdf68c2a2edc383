import type { FindingList } from '../findings.ts';
import { withSuffix, type itemNames } from '../item-name.ts';
import type { PlannedUpstream } from '../plan.ts';
import { azureResource, plannedUpstream, type UpstreamDraft, usualVariable } from '../planned-upstream.ts';
import { onlySecrets, Secret } from '../secret.ts';
import type { TargetGateway } from '../target.ts';
import { countOf, recordOf, textOf, type Values } from '../values.ts';
import type { Deployment } from './deployments.ts';
import { type CredentialParts, credentialOf, type OpenedCredential, plainSetting, SealedValue } from './opened.ts';
import { baseUrlOf, providerModel } from './providers.ts';

/** The upstream and the provider's model of a deployment. */
export interface DeploymentRoute {
  readonly upstream: string;
  readonly model: string;
}

interface PlannedUpstreams {
  readonly upstreams: readonly PlannedUpstream[];
  readonly routes: ReadonlyMap<Deployment, DeploymentRoute>;
}

interface UpstreamParts extends CredentialParts {
  readonly target: TargetGateway;
}

/** Plans one upstream for all deployments with the same provider, address, credential and concurrency limit. */
export function planUpstreams(
  deployments: readonly Deployment[],
  parts: UpstreamParts,
  named: ReturnType<typeof itemNames>,
  findings: FindingList,
): PlannedUpstreams {
  const drafts = new Map<string, UpstreamDraft>();
  const routes = new Map<Deployment, DeploymentRoute>();
  for (const deployment of deployments) {
    const { provider, kind, model } = providerModel(textOf(deployment.params['model']) ?? '', deployment.params);
    const settings = settingsOf(kind ?? 'openai', deployment, parts);
    const identity = identityOf(provider, settings);
    const known = drafts.get(identity);
    if (known) {
      routes.set(deployment, { upstream: known.name, model });
      continue;
    }
    const label = deployment.credentialName ?? deployment.id;
    const sourceId = `${provider}:${label}`;
    const name = named(
      drafts.size === 0 || !isTaken(drafts, provider) ? provider : withSuffix(provider, sourceId),
      sourceId,
    );
    drafts.set(identity, { sourceId, name, kind, provider, ...settings });
    routes.set(deployment, { upstream: name, model });
  }
  return { upstreams: [...drafts.values()].map((draft) => plannedUpstream(draft, parts.target, findings)), routes };
}

function isTaken(drafts: ReadonlyMap<string, UpstreamDraft>, provider: string): boolean {
  return [...drafts.values()].some((draft) => draft.provider === provider);
}

/** Two deployments with equal identities use the same upstream. It contains secrets: it stays in memory. */
function identityOf(provider: string, { fields, secrets, lacks }: Settings): string {
  const revealed = Object.entries(secrets).map(([field, value]) => [
    field,
    value instanceof Secret ? value.reveal() : Object.entries(value).map(([name, each]) => [name, each.reveal()]),
  ]);
  return JSON.stringify([provider, fields, revealed, lacks]);
}

type Settings = Pick<UpstreamDraft, 'fields' | 'lacks'> & {
  readonly secrets: Readonly<Record<string, Secret | Readonly<Record<string, Secret>>>>;
};

function settingsOf(kind: string, { params }: Deployment, parts: UpstreamParts): Settings {
  const plain = (field: string) => plainSetting(params[field], parts);
  const common = {
    base_url: baseUrlOf(kind, params, parts),
    max_concurrency: countOf(params['max_parallel_requests']),
  };
  const credentials = credentialsOf(kind, params, parts);
  const headers = headersOf(params, parts);
  const found = [...Object.values(credentials), ...Object.values(headers)];
  const lacks = found.find((each) => each instanceof SealedValue)?.code;
  const secrets: Settings['secrets'] = { ...onlySecrets(credentials), headers: onlySecrets(headers) };
  return {
    fields: { ...common, ...ownFields(kind, plain, common.base_url) },
    secrets: withUsual(kind, secrets, { ...common, lacks }, parts.target),
    lacks,
  };
}

function ownFields(
  kind: string,
  plain: (field: string) => string | undefined,
  baseUrl: string | undefined,
): UpstreamDraft['fields'] {
  switch (kind) {
    case 'bedrock':
      return { region: plain('aws_region_name') ?? 'us-east-1' };
    case 'vertex':
      return { project: plain('vertex_project'), location: plain('vertex_location') };
    case 'azure': {
      const resource = azureResource(baseUrl);
      return resource === undefined ? {} : { resource_name: resource, base_url: undefined };
    }
    default:
      return {};
  }
}

function credentialsOf(
  kind: string,
  params: Values,
  parts: CredentialParts,
): Readonly<Record<string, OpenedCredential>> {
  const of = (field: string) => credentialOf(params[field], parts);
  const key = { api_key: of('api_key') };
  switch (kind) {
    case 'bedrock':
      if (key.api_key !== undefined) return key;
      return {
        access_key_id: of('aws_access_key_id'),
        secret_access_key: of('aws_secret_access_key'),
        session_token: of('aws_session_token'),
      };
    case 'vertex': {
      const account = recordOf(params['vertex_credentials']);
      const isObject = Object.keys(account).length > 0;
      return { ...key, service_account: isObject ? new Secret(JSON.stringify(account)) : of('vertex_credentials') };
    }
    default:
      return key;
  }
}

function headersOf(params: Values, parts: CredentialParts): Readonly<Record<string, OpenedCredential>> {
  const entries = Object.entries(recordOf(params['extra_headers']));
  return Object.fromEntries(entries.map(([name, value]) => [name, credentialOf(value, parts)]));
}

/** Without a credential, LiteLLM uses the environment variable of the provider. */
function withUsual(
  kind: string,
  secrets: Settings['secrets'],
  { base_url: baseUrl, lacks }: Pick<Settings, 'lacks'> & { readonly base_url: string | undefined },
  target: TargetGateway,
): Settings['secrets'] {
  const hasCredential = Object.keys(secrets).some((field) => field !== 'headers');
  const variable = usualVariable(kind, target);
  if (hasCredential || lacks !== undefined || variable === undefined) return secrets;
  return kind === 'openai' && baseUrl !== undefined ? secrets : { ...secrets, api_key: new Secret(`\${${variable}}`) };
}
