import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findRequest } from '../../../src/money/requests/find-requests.ts';
import { requestDetail } from '../../../src/manage/admin/requests/request-detail.ts';
import { expectAtRest } from '../../at-rest.ts';
import { eventually } from '../../eventually.ts';
import { answer, json } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    upstreams: [
      ...(base['upstreams'] as object[]),
      { name: 'messages', kind: 'anthropic', base_url: provider.url, api_key: 'sk-upstream-canary' },
    ],
    models: [
      ...(base['models'] as object[]),
      model('unpriced', { routes: [{ upstream: 'messages' }] }),
      model('priced', {
        routes: [{ upstream: 'messages' }],
        context_window: 1000,
        price: { input: '1', output: '2', provider_tools: { web_search: '10.00', web_fetch: '0' } },
      }),
      model('searching', { price: { input: '1', output: '2', provider_tools: { web_search: '10.00' } } }),
      model('gratis', { routes: [{ upstream: 'messages' }], price: 'free' }),
    ],
    accounts: [
      { name: 'tester', package: 'standard', credit: '100.00' },
      { name: 'poor', package: 'standard', credit: '0.05' },
    ],
  }));
});
afterAll(() => gateway.stop());
afterEach(() => expectAtRest(gateway.gateway));

const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 3 };
const messages = [{ role: 'user', content: 'What is new?' }];

function answerWithUses(uses: Record<string, number>) {
  const usage = { input_tokens: 100, output_tokens: 10, server_tool_use: uses };
  const content = [{ type: 'text', text: 'This.' }];
  return json(200, { id: 'm', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage });
}

function send(name: string, tools: readonly object[], key = gateway.key, more: object = {}) {
  const body = { model: name, max_tokens: 10, messages, tools, ...more };
  return gateway.post('/anthropic/v1/messages', body, { 'x-api-key': key });
}

describe('a provider tool', () => {
  test.each([
    ['a search', [search], {}, 'tools[0]', 'web_search'],
    ['code', [{ type: 'code_execution_20250825', name: 'code_execution' }], {}, 'tools[0]', 'code_execution'],
    ['servers', [], { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'x' }] }, 'mcp_servers', 'mcp'],
  ])('is rejected if it has no price, and the error names it: %s', async (_label, tools, more, field, name) => {
    const reply = await send('unpriced', tools, gateway.key, more);
    expect(reply.status).toBe(400);
    expect(reply.json.error.message).toContain(field);
    expect(reply.json.error.message).toContain(name);
  });

  test.each([
    ['run by the client', [{ type: 'bash_20250124', name: 'bash' }]],
    ['that only searches the tools of the request', [{ type: 'tool_search_tool_regex_20251119', name: 'find' }]],
  ])('is not a tool %s', async (_label, tools) => {
    gateway.provider.respond('unpriced', answerWithUses({}));
    expect((await send('unpriced', tools)).status).toBe(200);
  });

  test('is charged per use, and the record lists the uses', async () => {
    gateway.provider.respond('priced', answerWithUses({ web_search_requests: 2, web_fetch_requests: 1 }));
    const reply = await send('priced', [search, { type: 'web_fetch_20250910', name: 'web_fetch' }]);
    expect(reply.status).toBe(200);
    const id = reply.headers.get('x-gateway-request-id') ?? '';
    const { store } = gateway.gateway;
    const record = await eventually(async () => (await findRequest(store, id)) ?? expect.fail('no record yet'));
    // In nano-units: 100 tokens at 1 and 10 at 2 per million, and two searches at 10 per thousand.
    expect(record.cost).toBe(100_000n + 20_000n + 20_000_000n);
    expect(record.toolUses).toEqual({ web_search: 2, web_fetch: 1 });
    const detail = await requestDetail(store, id);
    expect(detail?.toolLines).toEqual([
      { tool: 'web_search', uses: 2n, perUse: 10_000_000_000n },
      { tool: 'web_fetch', uses: 1n, perUse: 0n },
    ]);
  });

  test('has a hold for its maximum number of uses', async () => {
    const key = await gateway.newKey({ account: 'poor' });
    gateway.provider.respond('priced', answerWithUses({ web_search_requests: 1 }));
    expect((await send('priced', [{ ...search, max_uses: 4 }], key)).status).toBe(200);
    expect((await send('priced', [{ ...search, max_uses: 6 }], key)).status).toBe(402);
    expect((await send('priced', [{ type: 'web_search_20250305', name: 'web_search' }], key)).status).toBe(402);
  });

  test('costs nothing with a free model', async () => {
    gateway.provider.respond('gratis', answerWithUses({ web_search_requests: 1 }));
    expect((await send('gratis', [search])).status).toBe(200);
  });

  test.each([
    ['web_search_options', { web_search_options: {} }],
    ['search_parameters', { search_parameters: { mode: 'auto' } }],
    ['enable_search', { enable_search: true }],
    ['plugins[0]', { plugins: [{ id: 'web' }] }],
  ])('is recognised on the chat surface too: %s', async (field, more) => {
    const refused = await gateway.chat({ model: 'other', ...more });
    expect(refused.status).toBe(400);
    expect(refused.json.error.message).toContain(field);
    gateway.provider.respond('searching', answer('Found.'));
    expect((await gateway.chat({ model: 'searching', ...more })).status).toBe(200);
  });
});
