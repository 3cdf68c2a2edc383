import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { responseLife } from '../../../../test/response-life.ts';
import type { StreamEvent } from '../chat/stream-event.ts';
import { arbitraryEvents, arbitraryMessage } from '../../../../test/fixtures/dialects/arbitrary-message.ts';
import { usageOf } from '../../../../test/fixtures/dialects/usage.ts';
import type { WireObject } from '../wire-value.ts';
import { ResponseStream } from './encode-stream.ts';
import type { ResponsesEncoding } from './answer/response-object.ts';

const about = (more: Partial<ResponsesEncoding> = {}): ResponsesEncoding => ({
  id: '20261115t',
  created: 1000,
  model: 'model-1',
  body: { model: 'm', input: 'x' },
  now: () => 1001,
  logprobs: false,
  ...more,
});

const text = (said: string): StreamEvent => ({ type: 'text-delta', choice: 0, text: said });
const reasoning = (said: string): StreamEvent => ({ type: 'reasoning-delta', choice: 0, text: said });
const start = (call: number, name: string, id = `call_${call}`): StreamEvent => ({
  type: 'tool-call-start',
  choice: 0,
  call,
  id,
  name,
});
const json = (call: number, piece: string): StreamEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  call,
  arguments: piece,
});
const usage: StreamEvent = { type: 'usage', usage: usageOf(10, 4, { cachedTokens: 3, reasoningTokens: 2 }) };
const finish = (
  reason: 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other' = 'stop',
  raw = reason as string,
): StreamEvent => ({
  type: 'finish',
  choice: 0,
  reason,
  raw,
});

function run(events: readonly StreamEvent[], more: Partial<ResponsesEncoding> = {}) {
  const stream = new ResponseStream(about(more));
  const frames = events.map((event) => stream.encode([event])).join('') + stream.close() + stream.done();
  return responseLife(frames);
}

const typesOf = ({ events }: { readonly events: readonly WireObject[] }) => events.map(({ type }) => type);

describe('the events of a response', () => {
  test('reasoning, text and a call each begin and end with all fields that strict clients require', () => {
    const result = run([
      reasoning('Hm'),
      reasoning('m.'),
      text('Hi'),
      text('!'),
      start(0, 'f'),
      json(0, '{"a"'),
      json(0, ':1}'),
      finish(),
      usage,
    ]);
    expect(typesOf(result)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(result.response).toMatchObject({
      id: 'resp_20261115t',
      status: 'completed',
      model: 'model-1',
      completed_at: 1001,
      usage: {
        input_tokens: 10,
        input_tokens_details: { cached_tokens: 3, cache_write_tokens: 0 },
        output_tokens: 4,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 14,
      },
      output: [
        { id: 'rs_20261115t_0', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hmm.' }] },
        { id: 'msg_20261115t_1', type: 'message', content: [{ type: 'output_text', text: 'Hi!', annotations: [] }] },
        { id: 'fc_20261115t_2', type: 'function_call', call_id: 'call_0', name: 'f', arguments: '{"a":1}' },
      ],
    });
  });

  test('a call ends as soon as its arguments are complete, so that the client can act', () => {
    const stream = new ResponseStream(about());
    stream.encode([start(0, 'f')]);
    expect(stream.encode([json(0, '{"a":1}')])).toContain('response.output_item.done');
    expect(stream.encode([json(0, ' ')])).toBe('');
  });

  test('interleaved calls are sent one after the other', () => {
    const { response } = run([
      start(0, 'f'),
      start(1, 'g'),
      json(1, '{"b":'),
      json(0, '{"a":1}'),
      json(1, '2}'),
      finish(),
      usage,
    ]);
    expect(response.output).toMatchObject([{ arguments: '{"a":1}' }, { arguments: '{"b":2}' }]);
  });

  test('a call without arguments gets an empty object, and a duplicate call id gets a number', () => {
    const { response } = run([start(0, 'f', 'same'), start(1, 'g', 'same'), finish(), usage]);
    expect(response.output).toMatchObject([
      { call_id: 'same', arguments: '{}' },
      { call_id: 'same_2', arguments: '{}' },
    ]);
  });

  test.each([
    ['length', 'incomplete', { reason: 'max_output_tokens' }],
    ['content-filter', 'incomplete', { reason: 'content_filter' }],
    ['tool-calls', 'completed', null],
    ['other', 'completed', null],
  ] as const)('an answer that ends with %s is %s', (reason, status, details) => {
    const { response } = run([text('so far'), finish(reason), usage]);
    expect(response).toMatchObject({ status, incomplete_details: details, output: [{ status }] });
  });

  test('a call that was cut off is never complete', () => {
    const { response } = run([start(0, 'f'), json(0, '{"a":'), finish('length'), usage]);
    expect(response.output).toMatchObject([{ status: 'incomplete', arguments: '{"a":' }]);
  });

  test('a turn that is not over has end_turn: false', () => {
    expect(run([text('x'), finish('other', 'pause_turn'), usage]).response).toMatchObject({ end_turn: false });
  });

  test('an empty answer is complete', () => {
    expect(typesOf(run([finish(), usage]))).toEqual(['response.created', 'response.in_progress', 'response.completed']);
  });

  test('the request is repeated in the response', () => {
    const tools = [{ type: 'function', name: 'f' }, { type: 'web_search' }];
    const body = {
      model: 'm',
      tools,
      metadata: { a: 'b' },
      store: false,
      temperature: 0.5,
      text: { verbosity: 'low' },
    };
    expect(run([finish(), usage], { body }).response).toMatchObject({
      tools: [
        { type: 'function', name: 'f', description: null, parameters: null, strict: null },
        { type: 'web_search' },
      ],
      metadata: { a: 'b' },
      store: false,
      temperature: 0.5,
      text: { format: { type: 'text' }, verbosity: 'low' },
    });
  });
});

describe('tools of kinds that only this format has', () => {
  const body = {
    model: 'm',
    tools: [
      { type: 'namespace', name: 'mcp__fs', tools: [{ type: 'function', name: 'read' }] },
      { type: 'custom', name: 'apply_patch' },
      { type: 'tool_search', execution: 'client' },
    ],
  };

  test('a call has its namespace next to its name', () => {
    const { response } = run([start(0, 'mcp__fs__read'), json(0, '{}'), finish(), usage], { body });
    expect(response.output).toMatchObject([
      { type: 'function_call', namespace: 'mcp__fs', name: 'read', arguments: '{}' },
    ]);
  });

  test('the text of a custom tool is sent while it arrives', () => {
    const result = run(
      [start(0, 'apply_patch'), json(0, '{"inp'), json(0, 'ut":"*** B'), json(0, 'egin\\n"}'), finish(), usage],
      { body },
    );
    expect(
      result.events.filter(({ type }) => type === 'response.custom_tool_call_input.delta').map(({ delta }) => delta),
    ).toEqual(['*** B', 'egin\n']);
    expect(result.response.output).toMatchObject([
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin\n' },
    ]);
  });

  test('a tool search call has an object as arguments', () => {
    const { response } = run([start(0, 'tool_search'), json(0, '{"query":"q"}'), finish(), usage], { body });
    expect(response.output).toMatchObject([
      { type: 'tool_search_call', execution: 'client', call_id: 'call_0', arguments: { query: 'q' } },
    ]);
  });
});

describe('sealed reasoning', () => {
  const seal = (parts: readonly unknown[]) => `sealed:${JSON.stringify(parts)}`;
  const events = [
    reasoning('Hm'),
    { type: 'reasoning-signature', choice: 0, signature: 's' } as const,
    finish(),
    usage,
  ];
  const sealed = 'sealed:[{"type":"reasoning","text":"Hm","signature":"s"}]';

  test('is sent to a client that requests it', () => {
    const body = { model: 'm', include: ['reasoning.encrypted_content'] };
    expect(run(events, { body, seal }).response.output).toMatchObject([{ encrypted_content: sealed }]);
  });

  test('is only stored for a client that does not request it', () => {
    const stream = new ResponseStream(about({ seal }));
    stream.encode(events);
    stream.close();
    expect(stream.shown['output']).toEqual([expect.not.objectContaining({ encrypted_content: sealed })]);
    expect(stream.stored['output']).toEqual([expect.objectContaining({ encrypted_content: sealed })]);
  });
});

describe('a client that waits', () => {
  test('receives keep-alive events, and then the whole response', () => {
    const stream = new ResponseStream(about());
    const waiting = stream.keepAlive(true) + stream.keepAlive(true) + stream.keepAlive(false) + stream.keepAlive(true);
    const rest = stream.encode([text('Hi'), finish(), usage]) + stream.close() + stream.done();
    expect(typesOf(responseLife(waiting + rest)).slice(0, 6)).toEqual([
      'response.created',
      'response.queued',
      'response.queued',
      'response.in_progress',
      'response.in_progress',
      'response.output_item.added',
    ]);
  });

  test('receives a failure at every point of a response', () => {
    const failure = { code: 'server_error', type: 'upstream_error', message: 'It broke.' };
    const beginnings: ((stream: ResponseStream) => string)[] = [
      () => '',
      (stream) => stream.keepAlive(true),
      (stream) => stream.encode([text('Hi')]),
      (stream) => stream.encode([text('Hi'), start(0, 'f'), json(0, '{"a')]) + stream.keepAlive(false),
    ];
    for (const begin of beginnings) {
      const stream = new ResponseStream(about());
      const { response, error } = responseLife(begin(stream) + stream.fail(failure));
      expect(error).toEqual({ ...failure, param: null });
      expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error', message: 'It broke.' } });
    }
  });
});

test('the events are in order, whatever the order of the model events', () => {
  const body = { model: 'm', tools: [{ type: 'custom', name: 'x' }] };
  fc.assert(
    fc.property(fc.oneof(arbitraryEvents, arbitraryMessage), (events) => void run(events, { body })),
    { numRuns: 250 },
  );
});

test('the stored and the sent response have the same completion time', () => {
  let seconds = 1000;
  const stream = new ResponseStream(about({ now: () => (seconds += 1) }));
  stream.encode([text('hello'), finish(), usage]);
  stream.close();
  const stored = stream.stored['completed_at'];
  expect(stream.done()).toContain(`"completed_at":${String(stored)},`);
});
