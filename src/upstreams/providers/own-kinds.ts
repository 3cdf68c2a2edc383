import type { Preset } from './preset.ts';
import type { UpstreamKind, UpstreamNeed } from '../../config/schema/upstream-kind.ts';

/** A provider whose address depends on the customer's region or resource, so no preset can contain it. */
export const clouds: readonly (Pick<Preset, 'name' | 'title' | 'environment'> & { readonly address: string })[] = [
  {
    name: 'bedrock',
    title: 'Amazon Bedrock',
    address: 'https://bedrock-runtime.REGION.amazonaws.com',
    environment: ['AWS_BEARER_TOKEN_BEDROCK'],
  },
  {
    name: 'vertex',
    title: 'Google Vertex AI',
    address: 'https://LOCATION-aiplatform.googleapis.com',
    environment: ['GOOGLE_VERTEX_API_KEY'],
  },
  {
    name: 'azure',
    title: 'Azure OpenAI',
    address: 'https://RESOURCE.openai.azure.com/openai',
    environment: ['AZURE_API_KEY'],
  },
];

/** A provider at a custom `base_url` may need no key. */
function key(variable: string): UpstreamNeed {
  return { oneOf: [['api_key'], ['api_keys'], ['base_url']], fix: `Add \`api_key: \${${variable}}\`.` };
}

/** The settings that providers with their own protocol need, by kind. */
export const ownKinds: Readonly<Record<string, NonNullable<UpstreamKind['own']>>> = {
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
      {
        oneOf: [['service_account', 'project'], ['service_account', 'base_url'], ['api_key'], ['api_keys']],
        fix: 'Add `project: my-project` and `service_account: ${GOOGLE_SERVICE_ACCOUNT}` with the JSON document of a service account’s key, or `api_key: ${GOOGLE_VERTEX_API_KEY}`.',
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
