import { z } from 'zod';
import {
  componentSchemas,
  type JsonSchema,
  schemaReference,
} from '../../serving/surfaces/openapi/component-schemas.ts';
import { errorExamples, errorResponses } from '../../serving/surfaces/openapi/error-responses.ts';
import { headerReferences, responseHeaders } from '../../serving/surfaces/openapi/response-headers.ts';
import { errorSchema } from '../../serving/surfaces/openapi/schemas.ts';
import type { Endpoint, SchemaEntry } from './api/endpoint.ts';
import { endpoints } from './endpoints.ts';

/** The OpenAPI 3.1 document of both APIs, generated from the table of endpoints that serves them. */
export function adminDocument(version: string) {
  return {
    openapi: '3.1.0',
    info: { title: 'Chat Gateway: admin and account API', version, description },
    servers: [{ url: '/' }],
    paths: paths(),
    components: {
      schemas: componentSchemas(namedSchemas()),
      headers: responseHeaders,
      examples: errorExamples(undefined),
      securitySchemes,
    },
  };
}

const description =
  'Operators manage the gateway under `/admin/v1`. The owner of an account manages that account under `/account/v1`. Lists have pages: send `next` of a page as `cursor` to get the next one. A write with an `Idempotency-Key` header can be retried for 24 hours: it runs once, and retries get the same reply. A resource that can be changed has a `version`, which is also its `ETag`. A write with this version in `If-Match` fails with 409 if the resource has changed since. The error names the change and its actor. Every change and its audit log entry are committed together.';

const securitySchemes = {
  token: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A token as `Authorization: Bearer gwa_…`, created by `chat-gateway admin-tokens create` or `account-tokens create`. Each operation names the lowest role that may call it as `x-least-role`: `read-only`, `operator` or `owner`, each of which includes the ones before it, or `account`.',
  },
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Any text of your own. With the same body, the write runs once. With another body, it is refused.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  description:
    'The `version` of the resource that you read, in the form of its `ETag`. If it has changed since, the write fails with 409.',
  schema: { type: 'string' },
};

type AdminOperation = ReturnType<typeof operation>;

function paths(): Record<string, Record<string, AdminOperation>> {
  const result: Record<string, Record<string, AdminOperation>> = {};
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(':id', '{id}');
    result[path] = { ...result[path], [endpoint.method.toLowerCase()]: operation(endpoint) };
  }
  return result;
}

function operation({
  path,
  operationId,
  summary,
  access,
  body,
  reply,
  isWrite,
  query,
  media,
  versioned,
  isGuess,
}: Endpoint) {
  const hasId = path.includes('/:id');
  return {
    operationId,
    summary,
    'x-least-role': access,
    security: [{ token: [] }],
    parameters: [
      ...(hasId ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []),
      ...queryParameters(query),
      ...(isWrite ? [idempotencyKey] : []),
      ...(versioned ? [ifMatch] : []),
    ],
    ...(body && {
      requestBody: { required: true, content: { 'application/json': { schema: schemaReference(body.name) } } },
    }),
    responses: {
      '200': {
        description: 'Success.',
        headers: headerReferences,
        content: { [media?.type ?? 'application/json']: { schema: schemaReference(reply.name) } },
      },
      ...errorResponses([
        'connection',
        'key',
        'role',
        'body',
        ...(hasId ? (['route'] as const) : []),
        ...(versioned ? (['version'] as const) : []),
        ...(isGuess ? (['redemption'] as const) : []),
      ]),
    },
  };
}

function queryParameters(query: z.ZodObject) {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' }) as JsonSchema;
  return Object.entries(properties).map(([name, { description: text, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(text !== undefined && { description: text }),
    schema,
  }));
}

function namedSchemas(): readonly SchemaEntry[] {
  const used = endpoints.flatMap(({ body, reply }) => (body ? [body, reply] : [reply]));
  const byName = new Map(used.flatMap(withInside).map((named) => [named.name, named]));
  return [...byName.values(), { name: 'Error', schema: errorSchema }];
}

function withInside(named: SchemaEntry): readonly SchemaEntry[] {
  return [named, ...(named.inside ?? []).flatMap(withInside)];
}
