import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chunk, endings, finish, gate, json, sse, type SseStep, usage } from '../../fakes/fake-provider.ts';
import {
  framesOf,
  joined,
  model,
  patientTimeouts,
  startTestGateway,
  type TestGateway,
} from '../../gateways/gateway.ts';
import type { WireObject } from 'chat-formats/wire-value.ts';
import { messageLife } from '../../message-life.ts';
import { eventsIn, responseLife } from '../../response-life.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway((base, provider) => ({
    ...base,
    waiting: { hold_headers: '50ms', keep_alive_every: '20ms' },
    upstreams: [
      ...(base['upstreams'] as object[]),
      native('native', provider.url, true),
      native('sole', provider.url, 'only'),
    ],
    models: [
      ...(base['models'] as object[]),
      model('speaker', { routes: [{ upstream: 'native' }], thinking: true }),
      model('only', { routes: [{ upstream: 'sole' }] }),
      model('searcher', {
        routes: [{ upstream: 'native' }],
        price: { input: '1', output: '2', provider_tools: { web_search: '0.01' } },
      }),
      model('abroad', {
        routes: [{ upstream: 'fake' }],
        price: { input: '1', output: '2', provider_tools: { web_search: '0.01' } },
      }),
      model('spare', {
        routes: [
          { upstream: 'native', model: 'first', priority: 0 },
          { upstream: 'fake', model: 'second', priority: 1 },
        ],
      }),
    ],
  }));
});
afterAll(() => gateway.stop());

const native = (name: string, base_url: string, responses: boolean | 'only') => ({
  name,
  kind: 'openai',
  base_url,
  api_key: 'sk-upstream-canary',
  timeouts: patientTimeouts,
  quirks: { responses },
});

/** A frame of the provider, with the name of the event in its own line. */
const event = (type: string, fields: object, number?: number): SseStep => ({
  raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...(number !== undefined && { sequence_number: number }), ...fields })}\n\n`,
});

const response = (more: object = {}) => ({
  id: 'resp_theirs',
  object: 'response',
  created_at: 1,
  completed_at: null,
  status: 'in_progress',
  model: 'their-model',
  output: [],
  error: null,
  incomplete_details: null,
  instructions: null,
  tools: [],
  tool_choice: 'auto',
  truncation: 'disabled',
  parallel_tool_calls: true,
  text: { format: { type: 'text' } },
  top_p: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  temperature: 1,
  reasoning: { effort: null, summary: null },
  usage: null,
  max_output_tokens: null,
  max_tool_calls: null,
  store: false,
  background: false,
  service_tier: 'default',
  metadata: {},
  safety_identifier: null,
  prompt_cache_key: null,
  previous_response_id: null,
  their_field: [1, 2],
  ...more,
});

const counts = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
  output_tokens: 4,
  output_tokens_details: { reasoning_tokens: 1 },
  total_tokens: 13,
};
const part = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
const message = (status: string, ...content: readonly object[]) => ({
  id: 'msg_theirs',
  type: 'message',
  role: 'assistant',
  status,
  content,
  phase: 'final_answer',
});
const at = { item_id: 'msg_theirs', output_index: 1, content_index: 0 };
const reasoning = {
  id: 'rs_theirs',
  type: 'reasoning',
  summary: [],
  encrypted_content: 'gAAAAtheirs',
  status: 'completed',
};

const opening = [
  event('response.created', { response: response() }, 0),
  event('response.in_progress', { response: response() }, 1),
];

/** An answer with encrypted reasoning, a text, and an unknown event. */
function completeAnswer(): SseStep[] {
  return [
    ...opening,
    event('response.output_item.added', { output_index: 0, item: { ...reasoning, status: 'in_progress' } }, 2),
    event('response.output_item.done', { output_index: 0, item: reasoning }, 3),
    event('response.output_item.added', { output_index: 1, item: message('in_progress') }, 4),
    event('response.content_part.added', { ...at, part: part('') }, 5),
    event('response.output_text.delta', { ...at, delta: 'Hi', logprobs: [], obfuscation: 'xyz' }, 6),
    event('response.unheard_of', { output_index: 1, gadget: { deep: true } }, 7),
    event('response.output_text.done', { ...at, text: 'Hi', logprobs: [] }, 8),
    event('response.content_part.done', { ...at, part: part('Hi') }, 9),
    event('response.output_item.done', { output_index: 1, item: message('completed', part('Hi')) }, 10),
    event(
      'response.completed',
      {
        response: response({
          status: 'completed',
          completed_at: 2,
          output: [reasoning, message('completed', part('Hi'))],
          usage: counts,
        }),
      },
      11,
    ),
  ];
}

const send = (more: object) => gateway.post('/v1/responses', { model: 'speaker', input: 'hello', ...more });

describe('a provider of the responses format', () => {
  test('gets the client’s body without the fields that only the gateway handles', async () => {
    gateway.provider.respond('speaker', sse(completeAnswer()));
    const calls = gateway.provider.calls.length;
    await send({
      stream: true,
      unheard_of: { a: [1] },
      client_metadata: { session: 's' },
      tools: [{ type: 'namespace', name: 'ns', tools: [{ type: 'custom', name: 'g' }] }, { type: 'web_search' }],
      input: [
        { role: 'user', content: 'hello' },
        { type: 'reasoning', summary: [], encrypted_content: 'gAAAAearlier' },
        { type: 'reasoning', summary: [], encrypted_content: 'gw1.ours' },
        { type: 'new_item', with: 'things' },
      ],
    });
    const call = gateway.provider.calls[calls];
    expect(call?.path).toBe('/v1/responses');
    expect(call?.body).toEqual({
      model: 'speaker',
      input: [
        { role: 'user', content: 'hello' },
        { type: 'reasoning', summary: [], encrypted_content: 'gAAAAearlier' },
        { type: 'new_item', with: 'things' },
      ],
      stream: true,
      unheard_of: { a: [1] },
      tools: [{ type: 'namespace', name: 'ns', tools: [{ type: 'custom', name: 'g' }] }],
      store: false,
      include: ['reasoning.encrypted_content'],
    });
  });

  test('has known and unknown events passed on, with the gateway’s numbers, id and model name', async () => {
    gateway.provider.respond('speaker', sse(completeAnswer()));
    const reply = await send({ stream: true });
    const events = eventsIn(reply.text);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, number) => number));
    // Its position depends on the number of keep-alive events, which is higher on a slow machine.
    const unknown = events.findIndex(({ type }) => type === 'response.unheard_of');
    expect(events[unknown]).toMatchObject({ gadget: { deep: true } });
    const known = reply.text.replace(/event: response\.unheard_of\n[^\n]*\n\n/, '');
    const renumbered = known.replaceAll(
      /"sequence_number":(\d+)/g,
      (_, number: string) => `"sequence_number":${Number(number) > unknown ? Number(number) - 1 : number}`,
    );
    expect(responseLife(renumbered).response).toMatchObject({
      id: `resp_${reply.headers.get('x-gateway-request-id')}`,
      model: 'speaker',
      store: true,
      their_field: [1, 2],
      usage: counts,
      output: [reasoning, { id: 'msg_theirs', phase: 'final_answer' }],
    });
  });

  test('returns one body for a request without streaming', async () => {
    const body = response({ status: 'completed', output: [message('completed', part('Hi'))], usage: counts });
    gateway.provider.respond('speaker', json(200, body));
    const reply = await send({ metadata: {} });
    expect(reply.json).toEqual({
      ...body,
      id: `resp_${reply.headers.get('x-gateway-request-id')}`,
      model: 'speaker',
      store: true,
    });
  });

  test('fails over to another provider before its first item', async () => {
    const quota = { code: 'insufficient_quota', message: 'sk-upstream-canary has no money' };
    gateway.provider.respond(
      'first',
      sse([
        ...opening,
        event('error', { error: quota }, 2),
        event('response.failed', { response: response({ status: 'failed', error: quota }) }, 3),
      ]),
    );
    gateway.provider.respond(
      'second',
      sse([chunk({ role: 'assistant', content: 'Hello' }), finish('stop'), usage(3, 1), '[DONE]']),
    );
    const { response: answered } = responseLife((await send({ model: 'spare', stream: true })).text);
    expect(answered).toMatchObject({ status: 'completed', model: 'spare', output: [{ content: [{ text: 'Hello' }] }] });
  });

  test('that fails midway causes an error without the provider’s text', async () => {
    const steps = [
      ...completeAnswer().slice(0, 7),
      event(
        'response.failed',
        { response: response({ status: 'failed', error: { code: 'server_error', message: 'sk-upstream-canary' } }) },
        7,
      ),
    ];
    gateway.provider.respond('speaker', sse(steps));
    const reply = await send({ stream: true });
    expect(reply.text).not.toContain('canary');
    expect(responseLife(reply.text)).toMatchObject({
      response: { status: 'failed', error: { code: 'server_error' } },
      error: {},
    });
  });

  test('has its stored events replayed with the same numbers, unknown events included', async () => {
    gateway.provider.respond('speaker', sse(completeAnswer()));
    const first = await send({ stream: true, include: ['reasoning.encrypted_content'] });
    const events = eventsIn(first.text);
    const { id } = events.at(-1)!['response'] as { id: string };
    const again = await gateway.get(`/v1/responses/${id}?stream=true&include[]=reasoning.encrypted_content`);
    // Replayed events have no padding, and opening events do not contain the final item.
    const comparable = (event: WireObject) =>
      JSON.stringify({ ...event, obfuscation: undefined, item: undefined, response: undefined });
    expect(eventsIn(again.text).map((event) => JSON.parse(comparable(event)))).toEqual(
      events.map((event) => JSON.parse(comparable(event))),
    );
    expect(eventsIn(again.text).at(-1)).toEqual(events.at(-1));
    const unknown = events.find(({ type }) => type === 'response.unheard_of')!;
    const number = Number(unknown['sequence_number']);
    const later = await gateway.get(`/v1/responses/${id}?stream=true&starting_after=${number - 1}`);
    expect(eventsIn(later.text)[0]).toEqual(unknown);
  });

  test('runs provider tools with a price, and each use is charged', async () => {
    const search = {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'tea' },
    };
    const output = [search, { ...search, id: 'ws_2' }, message('completed', part('Hi'))];
    gateway.provider.respond(
      'searcher',
      json(200, response({ status: 'completed', completed_at: 2, output, usage: counts })),
    );
    const tools = [{ type: 'web_search_preview_2025_03_11', search_context_size: 'low' }, { type: 'file_search' }];
    const calls = gateway.provider.calls.length;
    const reply = await send({ model: 'searcher', tools });
    expect(gateway.provider.calls[calls]?.body).toMatchObject({ tools: [tools[0]], max_tool_calls: 20 });
    expect(reply.json).toMatchObject({ output, tools });
    const id = reply.headers.get('x-gateway-request-id')!;
    const find = () =>
      gateway.gateway.store.db.selectFrom('requests').selectAll().where('id', '=', id).executeTakeFirst();
    await expect.poll(async () => (await find())?.tool_uses).toBe('{"web_search":2}');
    expect(Number((await find())?.cost)).toBe(9 * 1000 + 4 * 2000 + 2 * 10_000);
  });

  test.each([
    { type: 'web_search_preview' },
    { type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] },
    'required',
  ])('runs the provider tool that tool_choice forces: %j', async (tool_choice) => {
    const output = [message('completed', part('Hi'))];
    gateway.provider.respond('searcher', json(200, response({ status: 'completed', output, usage: counts })));
    const calls = gateway.provider.calls.length;
    const tools = [{ type: 'web_search_preview_2025_03_11' }];
    const reply = await send({ model: 'searcher', tools, tool_choice });
    expect(reply.status).toBe(200);
    expect(gateway.provider.calls[calls]?.body).toMatchObject({ tools, tool_choice, max_tool_calls: 20 });
  });

  test('gets no forced tool without a price, and a provider of another format gets none at all', async () => {
    const calls = gateway.provider.calls.length;
    const tools = [{ type: 'web_search' }, { type: 'file_search' }];
    const unpriced = await send({ model: 'searcher', tools, tool_choice: { type: 'file_search' } });
    expect(unpriced.status).toBe(400);
    expect(unpriced.json.error.message).toContain('tools[1] asks for the provider tool file_search');
    const undeclared = await send({ model: 'searcher', tool_choice: { type: 'web_search' } });
    expect(undeclared.json.error.message).toContain('not among the tools');
    const abroad = await send({ model: 'abroad', tools, tool_choice: { type: 'web_search' } });
    expect(abroad.status).toBe(400);
    expect(abroad.json.error.message).toContain('tool_choice cannot be translated');
    expect(gateway.provider.calls).toHaveLength(calls);
  });

  test('may omit output and usage in its last event, and clients still get the output', async () => {
    const last = { ...response({ status: 'completed', completed_at: 2 }), output: [], usage: null };
    const steps = [
      ...completeAnswer()
        .filter((_, at) => at !== 7)
        .slice(0, -1),
      event('response.completed', { response: last }, 9),
    ];
    gateway.provider.respond('speaker', sse(steps));
    const life = responseLife((await send({ stream: true })).text);
    expect(life.response).toMatchObject({ output: [{ type: 'reasoning' }, { type: 'message' }], their_field: [1, 2] });
  });

  test('fails if its stream has no terminal event', async () => {
    gateway.provider.respond('speaker', sse([...completeAnswer().slice(0, 7), endings.cut]));
    expect(responseLife((await send({ stream: true })).text).response).toMatchObject({ status: 'failed' });
  });

  test('continues after the gateway’s own keep-alive events', async () => {
    const ready = gate();
    gateway.provider.respond(
      'speaker',
      sse([
        ...opening,
        ready.opened,
        ...completeAnswer()
          .slice(2)
          .filter((_, at) => at !== 5),
      ]),
    );
    const reply = await fetch(`${gateway.url}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'speaker', input: 'hello', stream: true }),
    });
    let text = '';
    for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.includes('event: response.in_progress')) ready.open();
    }
    expect(responseLife(text).response).toMatchObject({ status: 'completed' });
  });
});

describe('a provider of the responses format only', () => {
  test('answers chat clients', async () => {
    gateway.provider.respond('only', sse(completeAnswer()));
    const reply = framesOf(
      await gateway.post('/v1/chat/completions', { model: 'only', messages: [{ role: 'user', content: 'hello' }] }),
    );
    expect(joined(reply)).toBe('Hi');
    expect(reply.chunks.at(-1).usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 4 });
    const { body } = await gateway.provider.call('only').received;
    expect(body).toMatchObject({ input: [{ type: 'message', role: 'user' }], store: false, stream: true });
  });

  test('answers messages clients, which return its encrypted reasoning', async () => {
    gateway.provider.respond('only', sse(completeAnswer()));
    const send = (messages: readonly object[]) =>
      gateway.post(
        '/anthropic/v1/messages',
        { model: 'only', max_tokens: 10, stream: true, messages },
        { 'x-api-key': gateway.key },
      );
    const user = { role: 'user', content: 'hello' };
    const { message: answer } = messageLife((await send([user])).text);
    expect(answer.content).toMatchObject([
      { type: 'thinking', signature: 'rs:gAAAAtheirs' },
      { type: 'text', text: 'Hi' },
    ]);
    const calls = gateway.provider.calls.length;
    await send([user, { role: 'assistant', content: answer.content }, user]);
    expect(gateway.provider.calls[calls]?.body).toMatchObject({
      input: [
        { role: 'user' },
        { type: 'reasoning', summary: [], encrypted_content: 'gAAAAtheirs' },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
        { role: 'user' },
      ],
    });
  });

  test('gets no request that its format cannot express', async () => {
    const reply = await gateway.post('/v1/chat/completions', {
      model: 'only',
      logit_bias: { 7: 1 },
      messages: [{ role: 'user', content: 'x' }],
    });
    expect([reply.status, reply.json.error.message]).toEqual([400, expect.stringContaining('logit_bias')]);
  });
});
