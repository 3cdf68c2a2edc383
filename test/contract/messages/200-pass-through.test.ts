import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, sse, text } from '../../fakes/fake-provider.ts';
import { model, startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { messageLife } from '../../message-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => {
    const [upstream] = base['upstreams'] as [object];
    return {
      ...base,
      upstreams: [{ ...upstream, kind: 'anthropic', base_url: provider.url.replace('/v1', '') }],
      models: [
        model('native', {
          routes: [{ upstream: 'fake', model: 'the-providers-name' }],
          max_output_tokens: 1000,
          price: { input: '1', output: '2', provider_tools: { web_search: '0' } },
        }),
        model('guarded', {
          routes: [{ upstream: 'fake', model: 'the-providers-name' }],
          guarantees: { stop: 'gateway' },
        }),
      ],
    };
  });
});
afterAll(() => gateway.stop());

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');
const path = '/anthropic/v1/messages';
const own = () => ({ 'x-api-key': gateway.key });

/** A body with unusual whitespace, order, escapes and numbers, and with unknown fields. */
const unusualBody = (modelName: string, maxTokens: number) =>
  `{ "tools":[{"type":"web_search_20250305","name":"web_search","max_uses":1e0}],\n\t"max_tokens" : ${maxTokens},"b\\u00e9ta":{"model":"untouched"},` +
  `"messages":[{"content":[{"type":"mystery","n":1.0},{"text":"Gr\\u00fc\\u00dfe 你好 😀","type":"text","cache_control":{"type":"ephemeral","ttl":"1h"}}],"role":"user"}], "stream":true, "model":"${modelName}"  }`;

test('a request is sent byte for byte, except for the name of the model', async () => {
  gateway.provider.respond('the-providers-name', sse([{ raw: await recorded('plain.sse') }]));
  const reply = await gateway.postText(`${path}?beta=true`, unusualBody('native', 100), {
    ...own(),
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'context-1m-2025-08-07,unheard-of-2031-01-01',
  });
  expect(reply.status).toBe(200);
  const call = gateway.provider.calls.at(-1);
  expect(sha256(call?.text ?? '')).toBe(sha256(unusualBody('the-providers-name', 100)));
  expect(call?.path).toBe('/v1/messages');
  expect(call?.headers).toMatchObject({
    'x-api-key': 'sk-upstream-canary',
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'context-1m-2025-08-07,unheard-of-2031-01-01',
  });
  expect(call?.headers['authorization']).toBeUndefined();
});

test('a max_tokens above the limit of the model is lowered, and nothing else is changed', async () => {
  gateway.provider.respond('the-providers-name', sse([{ raw: await recorded('plain.sse') }]));
  await gateway.postText(path, unusualBody('native', 5000), own());
  expect(gateway.provider.calls.at(-1)?.text).toBe(unusualBody('the-providers-name', 1000));
});

test('a stream is passed on byte for byte except for the model’s name, for every recording and every split', async () => {
  const recordings = (await readdir(folder)).filter((name) => name.endsWith('.sse') && name !== 'error.sse');
  expect(recordings.length).toBeGreaterThan(8);
  for (const name of recordings) {
    const stream = await recorded(name);
    for (const split of ['whole', 'bytes'] as const) {
      if (split === 'bytes' && stream.length > 4000) continue;
      gateway.provider.respond('the-providers-name', sse([{ raw: stream }], { split }));
      const headers = { 'content-type': 'application/json', ...own() };
      const reply = await fetch(gateway.url + path, { method: 'POST', headers, body: unusualBody('native', 100) });
      const bytes = Buffer.from(await reply.arrayBuffer());
      const expected = stream.toString('latin1').replace('claude-sonnet-4-5-20250929', 'native');
      expect([name, split, bytes.toString('latin1')]).toEqual([name, split, expected]);
    }
  }
});

test('a JSON answer is passed on byte for byte except for the model’s name', async () => {
  const body = `{"id":"msg_1", "type":"message","role":"assistant","model":"the-providers-name","content":[{"type":"mystery","x":1.0}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":2},"new":"\\u00fc"}\n`;
  gateway.provider.respond('the-providers-name', text(200, 'application/json', body));
  const reply = await gateway.postText(
    path,
    unusualBody('native', 100).replace('"stream":true', '"stream":false'),
    own(),
  );
  expect(reply.text).toBe(body.replace('the-providers-name', 'native'));
  expect(reply.headers.get('content-type')).toBe('application/json');
  expect(reply.headers.get('request-id')).toBe(reply.headers.get('x-gateway-request-id'));
});

const searched = [
  { type: 'text', text: "I'll look it up." },
  {
    type: 'server_tool_use',
    id: 'srvtoolu_014hJH82Qum7Td6UV8gDXThB',
    name: 'web_search',
    input: { query: 'weather NYC today' },
  },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_014hJH82Qum7Td6UV8gDXThB',
    content: [
      {
        type: 'web_search_result',
        title: 'Weather in New York',
        url: 'https://weather.example/ny',
        encrypted_content: 'Ev0DCioIAxgCIiQ3NmU4ZmI4OC1k',
        page_age: null,
      },
    ],
  },
  { type: 'text', text: 'It is 19 ' },
];
const stopped = (stream: boolean) => ({
  model: 'guarded',
  max_tokens: 100,
  stream,
  stop_sequences: ['°'],
  messages: [{ role: 'user', content: 'weather?' }],
});

test('uses and results of provider tools stay in a stream that a stop sequence ends', async () => {
  gateway.provider.respond('the-providers-name', sse([{ raw: await recorded('server-tools.sse') }]));
  const reply = await gateway.post(path, stopped(true), own());
  const { message } = messageLife(reply.text);
  const content = searched.map((block) =>
    'input' in block ? { ...block, input: JSON.stringify(block.input) } : block,
  );
  expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: '°', content });
});

test('uses and results of provider tools stay in a JSON answer that a stop sequence ends', async () => {
  const content = [...searched.slice(0, -1), { type: 'text', text: 'It is 19 °C' }];
  const usage = { input_tokens: 3, output_tokens: 2 };
  const body = { id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage };
  gateway.provider.respond('the-providers-name', json(200, body));
  const reply = await gateway.post(path, stopped(false), own());
  expect(reply.json).toMatchObject({ stop_reason: 'stop_sequence', content: searched });
});

test('the provider counts tokens', async () => {
  gateway.provider.respond('the-providers-name', json(200, { input_tokens: 4321 }));
  const body = { model: 'native', messages: [{ role: 'user', content: 'hello' }] };
  const reply = await gateway.post(`${path}/count_tokens`, body, own());
  expect(reply.json).toEqual({ input_tokens: 4321 });
  expect(gateway.provider.calls.at(-1)?.path).toBe('/v1/messages/count_tokens');
});

test('the gateway counts tokens if the provider cannot', async () => {
  gateway.provider.respond('the-providers-name', json(404, { type: 'error', error: { type: 'not_found_error' } }));
  const body = { model: 'native', messages: [{ role: 'user', content: 'hello there' }] };
  const reply = await gateway.post(`${path}/count_tokens`, body, own());
  expect(reply.status).toBe(200);
  expect(reply.json.input_tokens).toBeGreaterThan(1);
});

const folder = new URL('../../fixtures/dialects/messages/', import.meta.url);

async function recorded(name: string): Promise<Buffer> {
  return readFile(new URL(name, folder));
}
