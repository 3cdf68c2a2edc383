import { afterAll, beforeAll, expect, test } from 'vitest';
import { messagesModelSchema } from '../../../src/serving/surfaces/openapi/schemas.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base) => ({
    ...base,
    models: [
      model('sized', { aliases: ['sized-latest'], context_window: 200_000, max_output_tokens: 16_384 }),
      model('unsized'),
    ],
  }));
});
afterAll(() => gateway.stop());

const own = () => ({ authorization: '', 'x-api-key': gateway.key });

test('a model has every field that client libraries read, and null for unset ones', async () => {
  const { json } = await gateway.get('/anthropic/v1/models', own());
  expect(json).toEqual({ data: expect.any(Array), has_more: false, first_id: 'sized', last_id: 'unsized' });
  for (const each of json.data) expect(messagesModelSchema.safeParse(each).error).toBeUndefined();
  const common = {
    type: 'model',
    created_at: '2021-07-20T10:40:00Z',
    capabilities: null,
    lifecycle: 'active',
    line: null,
    deprecated_at: null,
    retires_at: null,
  };
  expect(json.data).toEqual([
    { ...common, id: 'sized', display_name: 'sized', max_input_tokens: 200_000, max_tokens: 16_384 },
    { ...common, id: 'unsized', display_name: 'unsized', max_input_tokens: null, max_tokens: null },
  ]);
});

test('a single model equals its entry of the list', async () => {
  const { json } = await gateway.get('/anthropic/v1/models', own());
  expect((await gateway.get('/anthropic/v1/models/sized-latest', own())).json).toEqual(json.data[0]);
});
