import { componentSchemas, type JsonSchema } from './component-schemas.ts';
import type { PublicEndpoint } from './endpoint.ts';
import { publicEndpoints } from './endpoints.ts';
import { documentedErrors, errorExamples } from './error-responses.ts';
import { type Operation, operation } from './operation.ts';
import { responseHeaders } from './response-headers.ts';
import { errorSchema, messagesErrorSchema, usageSchema } from './schemas.ts';

export interface DocumentOptions {
  readonly version: string;
  readonly messagesPrefix: string;
  readonly supportEmail: string | undefined;
  /** The base URL of the gateway, without a path. */
  readonly serverUrl: string;
}

export function openApiDocument(options: DocumentOptions) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chat Gateway',
      version: options.version,
      description,
      ...(options.supportEmail && { contact: { email: options.supportEmail } }),
    },
    servers: [{ url: options.serverUrl }],
    paths: paths(options.messagesPrefix),
    components: {
      schemas: schemas(),
      headers: responseHeaders,
      examples: errorExamples(options.supportEmail),
      securitySchemes,
    },
    'x-errors': documentedErrors(),
  };
}

const description =
  'One address and one API key for the models of many providers. Programs built for the chat-completions, the responses or the messages wire format work unchanged once their base address points here, and answers are streamed while the model writes them. Under load requests wait in a queue; there is no rate limit.';

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Send your API key as `Authorization: Bearer <API_KEY>`. Create keys in the account dashboard. Each key belongs to an account and can be revoked on its own.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description:
      'The same key on the messages surface. There it is accepted as a bearer token only from client libraries of the format, or if the operator allows it.',
  },
};

function paths(messagesPrefix: string) {
  const result: Record<string, Partial<Record<PublicEndpoint['method'], Operation>>> = {};
  for (const endpoint of publicEndpoints) {
    const path = endpoint.path.replace('{messages_prefix}', messagesPrefix);
    result[path] = { ...result[path], [endpoint.method]: operation(endpoint) };
  }
  return result;
}

function schemas(): Record<string, JsonSchema> {
  const used = publicEndpoints.flatMap(({ request, answer }) => [
    ...(request ? [request] : []),
    ...(answer.schema ? [answer.schema] : []),
  ]);
  const components = componentSchemas([...used, ...sharedSchemas]);
  for (const { request } of publicEndpoints) {
    if (request) components[request.name] = withDefaults(components[request.name] ?? {}, request.defaults);
  }
  return components;
}

const sharedSchemas = [
  { name: 'Usage', schema: usageSchema },
  { name: 'Error', schema: errorSchema },
  { name: 'MessagesError', schema: messagesErrorSchema },
];

function withDefaults(schema: JsonSchema, defaults: Readonly<Record<string, unknown>>): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    name in defaults ? { ...property, default: defaults[name] } : property,
  ]);
  return { ...schema, properties: Object.fromEntries(properties) };
}
