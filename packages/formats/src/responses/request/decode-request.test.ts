import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../gateway-error.ts';
import { decodeResponsesRequest } from './decode-request.ts';

const decode = (body: object) => decodeResponsesRequest({ model: 'm', ...body }, { bytes: 10 });
const messages = (...input: readonly unknown[]) => decode({ input }).messages;
const text = (said: string) => ({ type: 'text', text: said });
const call = (id: string, more: object = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'f',
  arguments: '{"a":1}',
  ...more,
});
const output = (id: string | null, said: unknown = 'ok') => ({
  type: 'function_call_output',
  call_id: id,
  output: said,
});
const called = (id: string) => ({ type: 'tool-call', id, name: 'f', arguments: '{"a":1}' });
const user = (said: string) => ({ role: 'user', content: said });

function refusal(body: object): string {
  try {
    decode(body);
  } catch (error) {
    if (error instanceof GatewayError) return `${error.case}: ${error.detail}`;
  }
  return 'taken';
}

describe('messages of a request', () => {
  test.each([
    [{ rows: 2 }, '{"rows":2}'],
    [42, '42'],
    [false, 'false'],
    [[{ stdout: 'a' }], '[{"stdout":"a"}]'],
    [null, undefined],
  ])('a tool result that is not text is sent as its JSON: %j', (said, decoded) => {
    const content = decoded === undefined ? [] : [text(decoded)];
    expect(messages(call('c1'), output('c1', said))[1]).toMatchObject({ role: 'tool', toolCallId: 'c1', content });
  });

  test.each([['Hi'], [null], [{ text: 'Hi' }]])('a part without a type is rejected: %j', (part) => {
    const content = [{ type: 'input_text', text: 'Look' }, part];
    expect(refusal({ input: [{ role: 'user', content }] })).toBe(
      'invalid-request: input[0].content[1] must be an object with a type.',
    );
  });

  test('a string is one user message, after the instructions', () => {
    expect(decode({ instructions: 'Be brief.', input: 'Hi' }).messages).toEqual([
      { role: 'system', content: [text('Be brief.')] },
      { role: 'user', content: [text('Hi')] },
    ]);
  });

  test('parts of every type are decoded', () => {
    const content = [
      { type: 'input_text', text: 'Look' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'original' },
      { type: 'input_image', image_url: 'https://example.com/a.png' },
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' },
      { type: 'input_file', filename: 'b.pdf', file_data: 'CCCC' },
      { type: 'input_file', file_url: 'https://example.com/c.pdf' },
      { type: 'input_audio', input_audio: { data: 'DDDD', format: 'mp3' } },
    ];
    const request = decode({ input: [{ role: 'user', content }] });
    expect(request.messages).toEqual([
      {
        role: 'user',
        content: [
          text('Look'),
          { type: 'image', source: { mediaType: 'image/png', data: 'AAAA' } },
          { type: 'image', source: { url: 'https://example.com/a.png' } },
          { type: 'document', source: { mediaType: 'application/pdf', data: 'BBBB' }, title: 'a.pdf' },
          { type: 'document', source: { mediaType: 'application/pdf', data: 'CCCC' }, title: 'b.pdf' },
          { type: 'document', source: { url: 'https://example.com/c.pdf' } },
          { type: 'audio', source: { mediaType: 'audio/mp3', data: 'DDDD' } },
        ],
      },
    ]);
    expect(request.hasUnsizedContent).toBe(true);
  });

  test('leading instructions become one message; later ones are added to the user message', () => {
    expect(
      messages({ role: 'developer', content: 'one' }, { role: 'system', content: 'two' }, user('Hi'), {
        type: 'message',
        role: 'developer',
        content: [{ type: 'input_text', text: 'three' }],
      }),
    ).toEqual([
      { role: 'system', content: [text('one'), text('two')] },
      { role: 'user', content: [text('Hi'), text('<system>\nthree\n</system>')] },
    ]);
  });

  test('a request without any input gets an answer', () => {
    expect(decode({ input: [], max_output_tokens: 1 }).messages).toHaveLength(1);
    expect(decode({ instructions: 'Say hi.' }).messages).toEqual([{ role: 'user', content: [text('Say hi.')] }]);
  });

  test('reasoning belongs to the turn after it, from its text or else from its summary', () => {
    const reasoning = {
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'short' }],
      content: null,
      encrypted_content: null,
    };
    const long = { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'long' }] };
    expect(messages(user('Hi'), reasoning, long, call('c1'), output('c1'))[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'reasoning', text: 'short' }, { type: 'reasoning', text: 'long' }, called('c1')],
    });
  });

  test('reasoning sealed by the gateway is restored, and reasoning sealed by others is dropped', () => {
    const input = [
      { type: 'reasoning', summary: [], encrypted_content: 'ours' },
      { type: 'reasoning', summary: [], encrypted_content: 'theirs' },
      { role: 'assistant', content: 'said' },
    ];
    const unseal = (sealed: string) =>
      sealed === 'ours' ? [{ type: 'reasoning' as const, text: 'kept', signature: 'proof' }] : undefined;
    expect(decodeResponsesRequest({ model: 'm', input }, { bytes: 1, unseal }).messages).toEqual([
      { role: 'assistant', content: [{ type: 'reasoning', text: 'kept', signature: 'proof' }, text('said')] },
    ]);
  });
});

describe('calls and their results', () => {
  const result = (id: string, said = 'ok') => ({ role: 'tool', toolCallId: id, content: [text(said)], isError: false });

  test('one turn is one message, directly followed by its results', () => {
    expect(
      messages(user('Hi'), { role: 'assistant', content: 'Well' }, call('c1'), call('c2'), output('c1'), output('c2')),
    ).toEqual([
      { role: 'user', content: [text('Hi')] },
      { role: 'assistant', content: [text('Well'), called('c1'), called('c2')] },
      result('c1'),
      result('c2'),
    ]);
  });

  test('results are moved to their calls across the items between them', () => {
    const between = { role: 'developer', content: 'context' };
    expect(
      messages(call('c1'), call('c2'), output('c1'), between, call('c3'), output('c2', 'late'), output('c3')),
    ).toEqual([
      { role: 'assistant', content: [called('c1'), called('c2')] },
      result('c1'),
      result('c2', 'late'),
      { role: 'user', content: [text('<system>\ncontext\n</system>')] },
      { role: 'assistant', content: [called('c3')] },
      result('c3'),
    ]);
  });

  test('a call without a result gets one, and a result without a call becomes text', () => {
    expect(messages(call('c1'), user('stop'), output('lost', 'found'), output(null))).toEqual([
      { role: 'assistant', content: [called('c1')] },
      result('c1', '(no result: the call was interrupted)'),
      { role: 'user', content: [text('stop')] },
      { role: 'user', content: [text('Result of an earlier tool call:'), text('found')] },
      { role: 'user', content: [text('Result of an earlier tool call:'), text('ok')] },
    ]);
  });

  test('calls of every kind are decoded as function calls', () => {
    const decoded = messages(
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** "x"\n' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'done' }] },
      { type: 'tool_search_call', call_id: 'c2', execution: 'client', arguments: { query: 'q' } },
      { type: 'tool_search_output', call_id: 'c2', tools: [{ type: 'function', name: 'late' }] },
      { type: 'local_shell_call', call_id: 'c3', action: { type: 'exec', command: ['ls'] } },
      { type: 'local_shell_call_output', id: 'c3', output: 'files' },
      call('c4', { namespace: 'ns', arguments: '' }),
      output('c4', [{ type: 'input_image', image_url: 'https://example.com/a.png' }]),
    );
    const calls = decoded.flatMap((message) => (message.role === 'assistant' ? message.content : []));
    expect(calls).toEqual([
      { type: 'tool-call', id: 'c1', name: 'apply_patch', arguments: '{"input":"*** \\"x\\"\\n"}' },
      { type: 'tool-call', id: 'c2', name: 'tool_search', arguments: '{"query":"q"}' },
      { type: 'tool-call', id: 'c3', name: 'local_shell', arguments: '{"type":"exec","command":["ls"]}' },
      { type: 'tool-call', id: 'c4', name: 'ns__f', arguments: '{}' },
    ]);
    const results = decoded.flatMap((message) => (message.role === 'tool' ? [message.content] : []));
    expect(results).toEqual([
      [text('done')],
      [text('These tools can be used now: late')],
      [text('files')],
      [{ type: 'image', source: { url: 'https://example.com/a.png' } }],
    ]);
  });

  test('unknown items are dropped, and agent messages become user messages', () => {
    const agent = { type: 'agent_message', author: 'a', recipient: 'b', content: [{ type: 'input_text', text: 'go' }] };
    expect(
      messages({ type: 'web_search_call', id: 'ws_1', status: 'completed' }, { type: 'new_thing' }, agent),
    ).toEqual([{ role: 'user', content: [text('a → b: go')] }]);
  });
});

describe('options of a request', () => {
  const tools = [
    { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true },
    { type: 'namespace', name: 'ns', tools: [{ type: 'custom', name: 'g' }] },
    { type: 'web_search' },
  ];

  test.each([
    ['auto', 'auto'],
    ['required', 'required'],
    [{ type: 'function', name: 'f' }, { name: 'f' }],
    [{ type: 'custom', name: 'g', namespace: 'ns' }, { name: 'ns__g' }],
    [{ type: 'custom', name: 'g' }, { name: 'ns__g' }],
    [{ type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] }, 'required'],
  ])('tool_choice %j', (tool_choice, expected) => {
    expect(decode({ input: 'x', tools, tool_choice }).toolChoice).toEqual(expected);
  });

  test('only allowed tools are sent', () => {
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] };
    expect(decode({ input: 'x', tools, tool_choice }).tools.map(({ name }) => name)).toEqual(['f']);
  });

  test('the tool choice is dropped if no tool is left', () => {
    const request = decode({
      input: 'x',
      tools: [{ type: 'web_search' }],
      tool_choice: 'auto',
      parallel_tool_calls: false,
    });
    expect(request).toMatchObject({ tools: [], toolChoice: undefined, parallelToolCalls: undefined });
  });

  test('formats, effort, caps and labels are decoded', () => {
    const schema = { type: 'object' };
    expect(
      decode({
        input: 'x',
        max_output_tokens: 20,
        text: { format: { type: 'json_schema', name: 'n', schema, strict: true }, verbosity: 'low' },
        reasoning: { effort: 'xhigh', summary: 'auto' },
        safety_identifier: 'me',
        stream: true,
        include: ['message.output_text.logprobs'],
        client_metadata: { session: 's' },
      }),
    ).toMatchObject({
      maxTokens: 20,
      answerFormat: { name: 'n', schema, strict: true },
      effort: 'max',
      userId: 'me',
      wantsStream: true,
      logprobs: true,
    });
    expect(decode({ input: 'x', reasoning: { effort: 'none' } }).thinking).toBe('disabled');
    expect(decode({ input: 'x', reasoning: { effort: 'someday' } }).effort).toBeUndefined();
  });
});

test.each([
  [{ model: undefined }, 'model is required'],
  [{ input: 7 }, 'input must be a string or a list of items'],
  [{ input: [7] }, 'input[0] must be an object'],
  [{ input: [{ role: 'robot', content: 'x' }] }, 'input[0].role must be'],
  [{ input: [{ type: 'function_call', call_id: 'c' }] }, 'input[0].name must be a string'],
  [{ input: 'x', prompt: { id: 'p' } }, 'prompt names a prompt that is not stored here'],
  [{ input: 'x', conversation: 'c' }, 'conversation names'],
  [{ input: 'x', background: true, store: false }, 'background must not be true'],
  [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0] refers to an item'],
  [{ input: 'x', tool_choice: { type: 'file_search' } }, 'tool_choice forces file_search'],
  [{ input: 'x', tool_choice: { type: 'function', name: 'none' } }, 'tool_choice.name must name a tool'],
  [{ input: 'x', tool_choice: 'required' }, 'tool_choice must not be required'],
  [{ input: 'x', text: { format: { type: 'json_schema', name: 'n' } } }, 'text.format.schema is required'],
])('%j is rejected with an explanation', (body, words) => {
  expect(refusal(body)).toContain(`invalid-request: ${words}`);
});
