import { afterAll, beforeAll, expect, test } from 'vitest';
import { chatChunkSchema, errorSchema, modelListSchema } from '../../../src/serving/surfaces/openapi/schemas.ts';
import { expectGatewayHeaders } from '../../expectations.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

test('every documented endpoint exists, and needs a key unless it is public', async () => {
  const { json: document } = await gateway.get('/openapi.json');
  expect(document.openapi).toMatch(/^3\.1\./);
  for (const [path, operations] of Object.entries<Record<string, { security?: unknown[] }>>(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const response = await fetch(gateway.url + path, { method: method.toUpperCase() });
      const isPublic = operation.security?.length === 0;
      expect([path, method, response.status]).toEqual([path, method, isPublic ? 200 : 401]);
      expectGatewayHeaders({ status: response.status, headers: response.headers });
      await response.body?.cancel();
    }
  }
});

test('the replies of the gateway match the schemas of the document', async () => {
  const stream = await gateway.chat({});
  for (const chunk of stream.chunks) expect(chatChunkSchema.safeParse(chunk).error).toBeUndefined();
  const list = await gateway.get('/v1/models');
  expect(modelListSchema.safeParse(list.json).error).toBeUndefined();
  const refusal = await gateway.chat({ model: 'nope' });
  expect(errorSchema.safeParse(refusal.json).error).toBeUndefined();
});
