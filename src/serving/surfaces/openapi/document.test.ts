import { expect, test } from 'vitest';
import { errorTable } from 'chat-formats/error-table.ts';
import { openApiDocument } from './document.ts';
import { publicEndpoints } from './endpoints.ts';
import { errorSchema, messagesErrorSchema } from './schemas.ts';

const options = {
  version: '0.1.0',
  messagesPrefix: '/anthropic',
  supportEmail: 'help@example.com',
  serverUrl: 'https://gateway.example',
};
const document = openApiDocument(options);
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

test('the document has its OpenAPI version, title, contact and server', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d$/);
  expect(document.info).toMatchObject({
    title: 'Chat Gateway',
    version: '0.1.0',
    contact: { email: 'help@example.com' },
  });
  expect(document.servers).toEqual([{ url: 'https://gateway.example' }]);
});

test('every public endpoint is described', () => {
  expect(Object.keys(document.paths)).toEqual([
    '/v1/chat/completions',
    '/v1/completions',
    '/v1/models',
    '/v1/models/{model}',
    '/v1/embeddings',
    '/v1/rerank',
    '/v1/moderations',
    '/v1/images/generations',
    '/v1/audio/speech',
    '/v1/audio/transcriptions',
    '/v1/user/balance',
    '/v1/responses',
    '/v1/responses/{id}',
    '/v1/responses/{id}/input_items',
    '/v1/responses/{id}/cancel',
    '/v1/responses/input_tokens',
    '/v1/responses/compact',
    '/v1/files',
    '/v1/files/{file_id}',
    '/v1/files/{file_id}/content',
    '/v1/batches',
    '/v1/batches/{batch_id}',
    '/v1/batches/{batch_id}/cancel',
    '/anthropic/v1/messages',
    '/anthropic/v1/messages/count_tokens',
    '/anthropic/v1/models',
    '/anthropic/v1/models/{model}',
    '/anthropic/v1/messages/batches',
    '/anthropic/v1/messages/batches/{batch_id}',
    '/anthropic/v1/messages/batches/{batch_id}/results',
    '/anthropic/v1/messages/batches/{batch_id}/cancel',
    '/healthz',
    '/readyz',
    '/openapi.json',
  ]);
});

test('every reference resolves', () => {
  const references = findAll(document, '$ref');
  expect(references.length).toBeGreaterThan(20);
  expect(references.filter((reference) => follow(String(reference)) === undefined)).toEqual([]);
});

test('no schema has an `$id`, which would change the base of its references', () => {
  expect(findAll(document, '$id')).toEqual([]);
  expect(findAll(document, '$schema')).toEqual([]);
});

test('every operation has its own id, a summary, and responses with a description and both gateway headers', () => {
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { summary, responses } of operations) {
    expect(summary).not.toBe('');
    expect(Object.keys(responses)).toContain('200');
    for (const response of Object.values(responses)) {
      expect(response.description).not.toBe('');
      expect(Object.keys(response.headers)).toEqual(['x-gateway-version', 'x-gateway-request-id']);
    }
  }
});

test('each surface needs the key in its own header, and the descriptions need none', () => {
  expect(document.components.securitySchemes).toMatchObject({
    bearer: { type: 'http', scheme: 'bearer' },
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
  });
  const keyOf = (path: string) => (path.startsWith('/v1/') ? 'bearer' : 'apiKey');
  for (const [path, item] of Object.entries(document.paths)) {
    for (const { security, responses } of Object.values(item)) {
      const needsKey = path.includes('/v1/');
      expect(security).toEqual(needsKey ? [{ [keyOf(path)]: [] }] : []);
      expect('401' in responses).toBe(needsKey);
    }
  }
});

test('an endpoint has the errors of its steps and no others', () => {
  const statusesOf = (path: string) =>
    Object.values(document.paths[path] ?? {}).flatMap((o) => Object.keys(o.responses));
  const statuses = (...steps: string[]) => {
    const rows = Object.values(errorTable).filter(({ step }) => steps.includes(step));
    return [...new Set(['200', ...rows.map(({ status }) => String(status))])].sort();
  };
  expect(statusesOf('/v1/chat/completions')).toEqual(statuses('connection', 'key', 'body', 'model', 'inference'));
  expect(statusesOf('/v1/models/{model}')).toEqual(statuses('connection', 'key', 'model'));
  expect(statusesOf('/v1/models')).toEqual(statuses('connection', 'key'));
  expect(statusesOf('/openapi.json')).toEqual(statuses('connection'));
});

test('the status that is never sent is never mentioned', () => {
  expect(JSON.stringify(document)).not.toMatch(/429|retry-after|ratelimit/i);
});

test('the document contains the error table, with an example of every case for each surface', () => {
  expect(document['x-errors']).toHaveLength(Object.keys(errorTable).length);
  const cases = Object.keys(errorTable);
  const names = [...cases, ...cases.map((name) => `messages-${name}`)];
  expect(Object.keys(document.components.examples).sort()).toEqual(names.sort());
  for (const [name, example] of Object.entries(document.components.examples)) {
    const schema = name.startsWith('messages-') ? messagesErrorSchema : errorSchema;
    expect(schema.safeParse(example.value).error).toBeUndefined();
  }
});

const requests = publicEndpoints.flatMap(({ request }) => (request ? [request] : []));

test.for(requests)('the endpoint accepts the example of $name', ({ schema, example }) => {
  expect(schema.safeParse(example).error).toBeUndefined();
});

test('an answer is described by a schema, or in words that need none', () => {
  for (const { operationId, answer } of publicEndpoints) {
    const { content } = operations.find((operation) => operation.operationId === operationId)?.responses['200'] ?? {};
    expect(Object.keys(content ?? {})).toEqual(answer.contentTypes);
    const json = content?.['application/json']?.schema;
    const expected = answer.schema ? { $ref: `#/components/schemas/${answer.schema.name}` } : { type: 'object' };
    if (json) expect([operationId, json]).toEqual([operationId, expected]);
  }
});

test('of a public format the document has only the fields that differ', () => {
  const { ChatCompletionChunk, ChargedAnswer } = document.components.schemas;
  expect(ChatCompletionChunk).toMatchObject({ additionalProperties: {} });
  expect(Object.keys(ChatCompletionChunk?.properties ?? {})).not.toContain('created');
  expect(Object.keys(ChargedAnswer?.properties ?? {})).toEqual(['usage']);
});

test('the example of each answer matches its schema', () => {
  const examples = publicEndpoints.flatMap(({ answer: { schema, example } }) => {
    if (!schema || example === undefined) return [];
    if (typeof example !== 'string') return [{ schema, value: example }];
    const frames = example.split('\n\n').map((frame) => frame.replace(/^data: /, ''));
    expect(frames.slice(-2)).toEqual(['[DONE]', '']);
    return frames.slice(0, -2).map((frame) => ({ schema, value: JSON.parse(frame) as unknown }));
  });
  expect(examples.length).toBeGreaterThan(5);
  for (const { schema, value } of examples) expect(schema.schema.safeParse(value).error).toBeUndefined();
});

test.for(requests)(
  'the defaults of $name belong to existing fields and are valid',
  ({ name, schema, defaults, example }) => {
    const properties = document.components.schemas[name]?.properties ?? {};
    for (const [field, value] of Object.entries(defaults)) expect(properties[field]?.default).toEqual(value);
    expect(schema.safeParse({ ...Object(example), ...defaults }).error).toBeUndefined();
  },
);

test.for(requests)('every field of $name has a description', ({ name }) => {
  const properties = Object.entries(document.components.schemas[name]?.properties ?? {});
  expect(properties.length).toBeGreaterThan(0);
  expect(properties.filter(([, { description }]) => !description)).toEqual([]);
});

function findAll(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => (name === key ? [inner] : findAll(inner, key)));
}

function follow(reference: string): unknown {
  const [root, ...path] = reference.split('/');
  return root === '#' ? path.reduce<unknown>((value, key) => Object(value)[key], document) : undefined;
}
