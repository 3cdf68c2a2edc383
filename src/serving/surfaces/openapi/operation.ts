import { type JsonSchema, schemaReference } from './component-schemas.ts';
import type { PublicEndpoint } from './endpoint.ts';
import { errorResponses } from './error-responses.ts';
import { headerReferences } from './response-headers.ts';
import { tagsHeader } from '../request-tags.ts';

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly description: string;
  readonly headers: typeof headerReferences;
  readonly content: Content;
}

type Content = Readonly<Record<string, MediaType>>;

export interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** The schema of the JSON in each `data:` line of a chat stream. OpenAPI 3.1 has no field for it. */
  readonly 'x-event-schema'?: JsonSchema;
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Your own key for this request. A retry with the same key and body, while the answer runs or within two minutes of its end, returns the same answer from its start. It is generated and charged once. The same key with another body is rejected.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
} as const;

const creationKey = {
  ...idempotencyKey,
  description:
    'Your own key for this request. A retry with the same key and content within 24 hours returns what the first one created, as it is now, and creates nothing. The same key with another content is rejected.',
} as const;

const tags = {
  name: tagsHeader,
  in: 'header',
  description:
    'Tags of this request, separated by commas: up to 16 with up to 64 characters each, such as `team:search,env:prod`. Strings in `metadata` become tags too, as `name:value`, and so do the entries of a list `metadata.tags`. Usage is grouped by tag, and requests are found by it.',
  schema: { type: 'string' },
} as const;

export function operation(endpoint: PublicEndpoint): Operation {
  const { operationId, summary, steps, surface, request, answer } = endpoint;
  return {
    operationId,
    summary,
    description: endpoint.description,
    security: steps.includes('key') ? [surface === 'messages' ? { apiKey: [] } : { bearer: [] }] : [],
    ...(endpoint.isCreation && { parameters: [creationKey] }),
    ...(steps.includes('inference') &&
      !endpoint.isCreation &&
      !endpoint.isUnjoined && { parameters: [idempotencyKey, tags] }),
    ...(endpoint.parameters && { parameters: pathParameters(endpoint.parameters) }),
    ...(request && {
      requestBody: {
        required: true,
        content: {
          [request.contentType ?? 'application/json']: {
            schema: schemaReference(request.name),
            example: request.example,
          },
        },
      },
    }),
    responses: {
      '200': { description: answer.description, headers: headerReferences, content: answerContent(answer) },
      ...errorResponses(['connection', ...steps], surface),
    },
  };
}

function pathParameters(meanings: NonNullable<PublicEndpoint['parameters']>): readonly object[] {
  return Object.entries(meanings).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string', minLength: 1 },
  }));
}

function answerContent({ contentTypes, schema, example }: PublicEndpoint['answer']): Content {
  const reference = schema ? schemaReference(schema.name) : { type: 'object' };
  const media = (type: string): MediaType => {
    if (type === 'application/json') return { schema: reference };
    const isOwnStream = type === 'text/event-stream' && contentTypes.length === 1;
    const events = { 'x-event-schema': { anyOf: [reference, schemaReference('Error')] } };
    return { schema: { type: 'string' }, ...(isOwnStream && events) };
  };
  const shown = example === undefined ? {} : { example };
  return Object.fromEntries(contentTypes.map((type) => [type, { ...media(type), ...shown }]));
}
