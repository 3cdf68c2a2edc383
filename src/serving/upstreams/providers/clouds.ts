import type { UpstreamKind, UpstreamNeed } from '../../../platform/config/schema/upstream-kind.ts';
import type { UpstreamSpec } from '../../../platform/config/schema/upstream.ts';
import type { ProviderFacts } from './preset.ts';

/** A provider whose address depends on the customer's region, project or resource, so no preset can contain it. */
export interface Cloud extends ProviderFacts {
  /** The address for people. Parts in capitals depend on the customer. */
  readonly address: string;
  /** Undefined if the settings name no place. */
  addressOf(spec: UpstreamSpec): string | undefined;
}

/** Google's endpoints of the chat-completions format, which refuse unknown fields. */
export const geminiQuirks: ProviderFacts['quirks'] = {
  thinkingStyle: 'thinking_config',
  userField: 'none',
  stopMax: 5,
  maxTokens: true,
  fields: 'standard',
  callSignatures: 'required',
  // Only the total includes the tokens of reasoning.
  usageTotal: 'with-reasoning',
};

export const clouds: readonly Cloud[] = [
  {
    name: 'bedrock',
    title: 'Amazon Bedrock',
    address: 'https://bedrock-runtime.REGION.amazonaws.com',
    addressOf: ({ baseUrl, region }) => baseUrl ?? (region === undefined ? undefined : bedrockAddress(region)),
    environment: ['AWS_BEARER_TOKEN_BEDROCK'],
    wireFormat: 'by-model',
    quirks: {
      maxTokens: true,
      maxTokensField: 'max_completion_tokens',
      thinkingStyle: 'reasoning_effort',
      effortMax: 'high',
      userField: 'none',
    },
    note: 'Claude uses the messages format, other models the chat-completions format.',
  },
  {
    name: 'vertex',
    title: 'Google Vertex AI',
    address: 'https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION',
    addressOf: ({ baseUrl, project, location = 'global' }) =>
      baseUrl ?? (project === undefined ? undefined : vertexAddress(project, location)),
    environment: ['GOOGLE_VERTEX_API_KEY'],
    wireFormat: 'by-model',
    keyHeader: 'x-goog-api-key',
    quirks: geminiQuirks,
    note: 'Claude uses the messages format, other models the chat-completions format.',
  },
  {
    name: 'azure',
    title: 'Azure OpenAI',
    address: 'https://RESOURCE.openai.azure.com/openai/v1',
    addressOf: ({ baseUrl, resourceName, apiVersion }) => {
      const resource = resourceName && `https://${resourceName}.openai.azure.com/openai/v1`;
      const address = baseUrl ?? resource;
      return address && apiVersion ? `${address}?api-version=${apiVersion}` : address;
    },
    environment: ['AZURE_API_KEY'],
    wireFormat: 'chat-completions',
    keyHeader: 'api-key',
    quirks: {
      maxTokensField: 'max_completion_tokens',
      thinkingStyle: 'reasoning_effort',
      effortMax: 'xhigh',
      userField: 'user',
      stopMax: 4,
      maxTokens: true,
      responses: true,
    },
  },
];

function bedrockAddress(region: string): string {
  return `https://bedrock-runtime.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`;
}

/** Continents and `global` have their own hosts. */
function vertexAddress(project: string, location: string): string {
  const host =
    location === 'global'
      ? 'aiplatform.googleapis.com'
      : location === 'eu' || location === 'us'
        ? `aiplatform.${location}.rep.googleapis.com`
        : `${location}-aiplatform.googleapis.com`;
  return `https://${host}/v1/projects/${project}/locations/${location}`;
}

/** A provider at a custom `base_url` may need no key. */
function key(variable: string): UpstreamNeed {
  return { oneOf: [['api_key'], ['api_keys'], ['base_url']], fix: `Add \`api_key: \${${variable}}\`.` };
}

/** The settings that only some providers have, by kind. */
export const ownSettings: Readonly<Record<string, NonNullable<UpstreamKind['own']>>> = {
  bedrock: {
    takes: ['region', 'access_key_id', 'secret_access_key', 'session_token'],
    needs: [
      { oneOf: [['region']], fix: 'Add the region whose models are used, such as `region: us-east-1`.' },
      {
        oneOf: [['api_key'], ['api_keys'], ['access_key_id', 'secret_access_key']],
        fix: 'Add `api_key: ${AWS_BEARER_TOKEN_BEDROCK}`, or `access_key_id: ${AWS_ACCESS_KEY_ID}` and `secret_access_key: ${AWS_SECRET_ACCESS_KEY}`.',
      },
    ],
  },
  vertex: {
    takes: ['project', 'location', 'service_account'],
    needs: [
      { oneOf: [['project'], ['base_url']], fix: 'Add the cloud project, such as `project: my-project`.' },
      {
        oneOf: [['service_account'], ['api_key'], ['api_keys']],
        fix: 'Add `service_account: ${GOOGLE_SERVICE_ACCOUNT}` with the JSON document of a service account’s key, or `api_key: ${GOOGLE_VERTEX_API_KEY}`.',
      },
    ],
  },
  azure: {
    takes: ['resource_name', 'api_version'],
    needs: [
      {
        oneOf: [['resource_name'], ['base_url']],
        fix: 'Add `resource_name: my-resource`, the first part of the host.',
      },
      { oneOf: [['api_key'], ['api_keys']], fix: 'Add `api_key: ${AZURE_API_KEY}`.' },
    ],
  },
  google: { takes: [], needs: [key('GEMINI_API_KEY')] },
  cohere: { takes: [], needs: [key('COHERE_API_KEY')] },
  mistral: { takes: [], needs: [key('MISTRAL_API_KEY')] },
};
