import { describe, expect, test } from 'vitest';
import { chatRequest, textMessage } from '../../../test/call-upstream.ts';
import type { ChatRequest } from '../../core/chat/chat-request.ts';
import type { Message, UserPart } from '../../core/chat/message.ts';
import type { Untranslatable } from '../../core/chat/model.ts';
import { encodeCall } from './call-options.ts';
import { bridgeKind } from './kinds.ts';

const kindNames = ['bedrock', 'google', 'vertex', 'azure', 'cohere', 'mistral'];

interface More {
  readonly thinking?: boolean;
  readonly model?: string;
  readonly untranslatable?: Untranslatable;
}

function encoded(name: string, changes: Partial<ChatRequest>, more: More = {}) {
  const kind = bridgeKind(name);
  if (!kind) throw new Error(name);
  const { thinking = false, model = 'anthropic.claude-sonnet-4-5', untranslatable } = more;
  const request = chatRequest(changes);
  return encodeCall({ model, credential: 0, thinking, maxOutputTokens: 4096, request, untranslatable }, kind);
}

function refusal(name: string, changes: Partial<ChatRequest>, more?: More): unknown {
  try {
    encoded(name, changes, more);
    return undefined;
  } catch (error) {
    return error;
  }
}

const shown = (...content: readonly UserPart[]): Partial<ChatRequest> => ({ messages: [{ role: 'user', content }] });
const tool = { name: 't', description: undefined, parameters: undefined };
const withBody = (body: Record<string, unknown>): Partial<ChatRequest> => ({
  wire: { format: 'chat-completions', body, bytes: 9 },
});

describe('an unsupported field is refused by name', () => {
  test.each(kindNames)('at %s', (name) => {
    for (const [field, value] of Object.entries({ n: 2, logprobs: true, functions: [{ name: 'f' }] })) {
      expect(refusal(name, withBody({ model: 'm', [field]: value }))).toMatchObject({
        case: 'invalid-request',
        detail: expect.stringMatching(new RegExp(`^${field} cannot`)),
      });
    }
    expect(refusal(name, withBody({ model: 'm', user: null, parallel_tool_calls: true }))).toBeUndefined();
  });

  test('parallel_tool_calls: false is refused if the provider does not support it', () => {
    const serial = { tools: [tool], parallelToolCalls: false };
    for (const name of ['google', 'vertex', 'cohere']) {
      expect(refusal(name, serial)).toMatchObject({ detail: expect.stringContaining('parallel_tool_calls') });
      expect(refusal(name, { ...serial, tools: [] })).toBeUndefined();
    }
    expect(refusal('bedrock', serial, { model: 'meta.llama4' })).toMatchObject({ case: 'invalid-request' });
    expect(encoded('bedrock', serial).providerOptions).toEqual({ anthropic: { disableParallelToolUse: true } });
    expect(encoded('azure', serial).providerOptions).toMatchObject({ openai: { parallelToolCalls: false } });
    expect(encoded('mistral', serial).providerOptions).toEqual({ mistral: { parallelToolCalls: false } });
  });

  test('a hint is left out, and so is a field that the entry of the model allows to drop', () => {
    for (const name of ['azure', 'mistral']) {
      expect(encoded(name, { topK: 5 }).topK).toBeUndefined();
      expect(refusal(name, { topK: 5 }, { untranslatable: 'refuse' })).toMatchObject({
        detail: expect.stringContaining('top_k'),
      });
    }
    expect(encoded('google', { topK: 5 }).topK).toBe(5);
    const dropped = encoded('bedrock', { answerFormat: 'json' }, { untranslatable: 'drop' });
    expect(dropped.responseFormat).toBeUndefined();
    expect(refusal('cohere', { tools: [tool], parallelToolCalls: false }, { untranslatable: 'drop' })).toBeUndefined();
  });

  test.each([
    ['bedrock', 1],
    ['cohere', 1],
    ['mistral', 1.5],
    ['google', 2],
    ['vertex', 2],
    ['azure', 2],
  ])('%s gets a temperature up to %f', (name, most) => {
    expect(encoded(name, { temperature: 2 }).temperature).toBe(most);
    expect(encoded(name, { temperature: 0.5 }).temperature).toBe(0.5);
  });

  test('JSON without a schema is refused if the provider requires a schema', () => {
    expect(refusal('bedrock', { answerFormat: 'json' })).toMatchObject({ case: 'invalid-request' });
    expect(encoded('cohere', { answerFormat: 'json' }).responseFormat).toEqual({ type: 'json' });
  });

  test('a result without a call is refused', () => {
    const messages: Message[] = [
      textMessage('user', 'Hi'),
      { role: 'tool', toolCallId: 'c', content: [{ type: 'text', text: 'x' }], isError: false },
    ];
    expect(refusal('google', { messages })).toMatchObject({
      detail: expect.stringContaining('messages[1].tool_call_id'),
    });
  });
});

describe('media', () => {
  const png = { type: 'image', source: { mediaType: 'image/PNG', data: 'AAAA' } } as const;
  const pdf = { type: 'document', source: { mediaType: 'application/pdf', data: 'AAAA' }, title: 'Report' } as const;
  const notes = { type: 'document', source: { text: 'words' }, title: 'Notes' } as const;
  const wav = { type: 'audio', source: { mediaType: 'audio/wav', data: 'AAAA' } } as const;
  const contentOf = (name: string, part: UserPart) => encoded(name, shown(part)).prompt[0]?.content;

  test.each(kindNames)('with pictures are sent to %s', (name) => {
    expect(contentOf(name, png)).toEqual([
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AAAA' } },
    ]);
    const written = { type: 'image', source: { url: 'data:image/webp;base64,AAAA' } } as const;
    expect(contentOf(name, written)).toMatchObject([{ mediaType: 'image/webp', data: { type: 'data', data: 'AAAA' } }]);
  });

  test('at an address are fetched by the provider or refused, never fetched by the gateway', () => {
    const at = (url: string) => ({ type: 'image', source: { url } }) as const;
    const url = new URL('https://pictures.example/a.PNG?x=1');
    for (const name of ['google', 'vertex', 'azure', 'cohere', 'mistral']) {
      expect(contentOf(name, at(url.href))).toEqual([
        { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
      ]);
    }
    expect(refusal('bedrock', shown(at(url.href)))).toMatchObject({ detail: expect.stringContaining('base64') });
    for (const wrong of ['file:///etc/passwd', 'picture.png', 'javascript:1']) {
      expect(refusal('azure', shown(at(wrong)))).toMatchObject({ case: 'invalid-request' });
    }
  });

  test('with documents are sent as files if the provider has files, otherwise as text', () => {
    const file = { type: 'file', mediaType: 'text/plain', filename: 'Notes', data: { type: 'text', text: 'words' } };
    for (const name of ['bedrock', 'google', 'vertex', 'cohere']) expect(contentOf(name, notes)).toEqual([file]);
    for (const name of ['azure', 'mistral']) {
      expect(contentOf(name, notes)).toEqual([{ type: 'text', text: 'Notes\n\nwords' }]);
    }
    const written = { type: 'document', source: { mediaType: 'text/markdown', data: btoa('# Hi') } } as const;
    expect(contentOf('cohere', written)).toEqual([
      { type: 'file', mediaType: 'text/markdown', data: { type: 'text', text: '# Hi' } },
    ]);
  });

  test('of types that a provider does not accept are refused', () => {
    for (const name of ['bedrock', 'google', 'vertex', 'azure', 'mistral']) {
      expect(contentOf(name, pdf)).toMatchObject([{ mediaType: 'application/pdf', filename: 'Report' }]);
    }
    expect(refusal('cohere', shown(pdf))).toMatchObject({ detail: expect.stringContaining('application/pdf') });
    for (const name of ['google', 'vertex', 'azure']) expect(contentOf(name, wav)).toMatchObject([{ type: 'file' }]);
    for (const name of ['bedrock', 'cohere', 'mistral']) {
      expect(refusal(name, shown(wav))).toMatchObject({ detail: expect.stringContaining('audio/wav') });
    }
  });

  test('in tool results are sent where the provider accepts them, and never as an address that a package would fetch', () => {
    const result = (...content: readonly UserPart[]): Partial<ChatRequest> => ({
      messages: [
        { role: 'assistant', content: [{ type: 'tool-call', id: 'c', name: 't', arguments: '{}' }] },
        { role: 'tool', toolCallId: 'c', content, isError: false },
      ],
    });
    const words = { type: 'text', text: 'Here:' } as const;
    for (const name of ['bedrock', 'google', 'vertex']) {
      expect(encoded(name, result(words, png)).prompt[1]?.content).toMatchObject([
        { toolName: 't', output: { type: 'content', value: [words, { type: 'file', mediaType: 'image/png' }] } },
      ]);
      const far = { type: 'image', source: { url: 'https://pictures.example/a.png' } } as const;
      expect(refusal(name, result(far))).toMatchObject({ case: 'invalid-request' });
    }
    for (const name of ['azure', 'cohere']) {
      expect(encoded(name, result(words, png)).prompt.slice(1)).toMatchObject([
        { role: 'tool', content: [{ output: { type: 'text', value: 'Here:' } }] },
        {
          role: 'user',
          content: [{ text: 'From the result of the tool call c:' }, { type: 'file', mediaType: 'image/png' }],
        },
      ]);
    }
    expect(refusal('mistral', result(png))).toMatchObject({ detail: expect.stringContaining('user message') });
  });
});

describe('a conversation', () => {
  test('keeps later instructions in their position, as user text if the system prompt is separate', () => {
    const messages = [textMessage('system', 'A'), textMessage('user', 'Hi'), textMessage('system', 'B')];
    for (const name of ['bedrock', 'google', 'vertex']) {
      expect(encoded(name, { messages }).prompt).toEqual([
        { role: 'system', content: 'A' },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'user', content: [{ type: 'text', text: '<system>\nB\n</system>' }] },
      ]);
    }
    expect(encoded('azure', { messages }).prompt.map(({ role }) => role)).toEqual(['system', 'user', 'system']);
  });

  test('has the names of participants before their text', () => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }], name: 'Ann' }];
    expect(encoded('cohere', { messages }).prompt).toMatchObject([{ content: [{ text: 'Ann: Hi' }] }]);
  });

  test('has ids that the provider accepts, the same for a call and its result', () => {
    const id = 'call/with:odd letters';
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'tool-call', id, name: 't', arguments: 'no JSON' }] },
      { role: 'tool', toolCallId: id, content: [], isError: false },
    ];
    for (const [name, form] of [
      ['bedrock', /^[\w-]{1,64}$/],
      ['mistral', /^[a-zA-Z0-9]{9}$/],
    ] as const) {
      const { prompt } = encoded(name, { messages });
      const ids = prompt.flatMap(({ content }) => content as { toolCallId: string }[]).map((part) => part.toolCallId);
      expect(ids[0]).toMatch(form);
      expect(ids[1]).toBe(ids[0]);
    }
    expect(encoded('google', { messages }).prompt).toMatchObject([{ content: [{ input: { raw: 'no JSON' } }] }, {}]);
  });

  test('has no empty assistant turns', () => {
    const messages: Message[] = [
      textMessage('user', 'Hi'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: '' },
          { type: 'redacted-reasoning', data: 'hidden' },
        ],
      },
      textMessage('user', 'Well?'),
    ];
    expect(encoded('google', { messages }).prompt.map(({ role }) => role)).toEqual(['user', 'user']);
  });

  test('has the results of parallel calls in one turn', () => {
    const content = ['a', 'b'].map((id) => ({ type: 'tool-call', id, name: 't', arguments: '{"x":1}' }) as const);
    const result = (toolCallId: string) =>
      ({
        role: 'tool',
        toolCallId,
        content: [{ type: 'text', text: toolCallId }],
        isError: toolCallId === 'b',
      }) as const;
    const messages: Message[] = [{ role: 'assistant', content }, result('a'), result('b')];
    expect(encoded('google', { messages }).prompt[1]).toEqual({
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'a', toolName: 't', output: { type: 'text', value: 'a' } },
        { type: 'tool-result', toolCallId: 'b', toolName: 't', output: { type: 'error-text', value: 'b' } },
      ],
    });
  });

  test('keeps the blocks of a result separate', () => {
    const content = ['one', 'two'].map((text) => ({ type: 'text', text }) as const);
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'tool-call', id: 'a', name: 't', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'a', content, isError: false },
    ];
    expect(encoded('cohere', { messages }).prompt[1]).toMatchObject({
      content: [{ output: { type: 'text', value: 'one\n\ntwo' } }],
    });
  });

  test('has cache markers if the provider supports them', () => {
    const messages: Message[] = [
      { role: 'system', content: [{ type: 'text', text: 'S', cache: '1h' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache: '5m' }] },
    ];
    const point = (ttl?: string) => ({ amazonBedrock: { cachePoint: { type: 'default', ...(ttl && { ttl }) } } });
    expect(encoded('bedrock', { messages }).prompt).toMatchObject([
      { providerOptions: point('1h') },
      { content: [{ providerOptions: point() }] },
    ]);
    expect(JSON.stringify(encoded('google', { messages }).prompt)).not.toContain('providerOptions');
  });

  test('keeps signed reasoning, all reasoning or none, depending on the provider', () => {
    const content = [
      { type: 'reasoning', text: 'unsigned' },
      { type: 'reasoning', text: 'signed', signature: 'sig' },
      { type: 'redacted-reasoning', data: 'hidden' },
      { type: 'text', text: 'Hi' },
    ] as const;
    const reasoningOf = (name: string, thinking = true) => {
      const { prompt } = encoded(name, { messages: [{ role: 'assistant', content }] }, { thinking });
      const parts = prompt[0]?.content as readonly { type: string; text: string; providerOptions?: unknown }[];
      return parts
        .filter(({ type }) => type === 'reasoning')
        .map(({ text, providerOptions }) => [text, providerOptions]);
    };
    expect(reasoningOf('bedrock')).toEqual([
      ['signed', { amazonBedrock: { signature: 'sig' } }],
      ['', { amazonBedrock: { redactedContent: 'hidden' } }],
    ]);
    expect(reasoningOf('google')).toEqual([
      ['unsigned', undefined],
      ['signed', { google: { thoughtSignature: 'sig' } }],
    ]);
    expect(reasoningOf('google', false)).toEqual([['signed', { google: { thoughtSignature: 'sig' } }]]);
    expect(reasoningOf('vertex')[1]).toEqual(['signed', { googleVertex: { thoughtSignature: 'sig' } }]);
    expect(reasoningOf('mistral').map(([text]) => text)).toEqual(['unsigned', 'signed']);
    for (const name of ['azure', 'cohere']) expect(reasoningOf(name)).toEqual([]);
  });
});

describe('settings', () => {
  test.each(kindNames)('of the request are sent to %s', (name) => {
    const schema = { type: 'object', properties: {} };
    const options = encoded(name, {
      temperature: 0,
      topP: 1,
      stop: ['a', 'b'],
      tools: [{ name: 't', description: 'd', parameters: schema, strict: true }],
      toolChoice: { name: 't' },
      answerFormat: { name: 'answer', schema, strict: true },
    });
    expect(options).toMatchObject({
      temperature: 0,
      topP: 1,
      stopSequences: ['a', 'b'],
      tools: [{ type: 'function', name: 't', description: 'd', inputSchema: schema, strict: true }],
      toolChoice: { type: 'tool', toolName: 't' },
      responseFormat: { type: 'json', schema, name: 'answer' },
    });
    expect(encoded(name, { toolChoice: 'none' })).not.toHaveProperty('toolChoice');
  });

  test('have the cap of the model if the client sets none', () => {
    expect(encoded('google', {}).maxOutputTokens).toBe(4096);
    expect(encoded('google', { maxTokens: 7 }).maxOutputTokens).toBe(7);
    expect(encoded('azure', {}).providerOptions).toEqual({ openai: { maxCompletionTokens: 4096 } });
  });

  test('have the reasoning settings of the client, or the default for a model that can reason', () => {
    for (const name of kindNames) {
      const { reasoning, providerOptions = {} } = encoded(name, {});
      expect([name, reasoning, JSON.stringify(providerOptions).match(/hink|easoning/)]).toEqual([
        name,
        undefined,
        null,
      ]);
    }
    const thinks = (name: string, changes: Partial<ChatRequest>) => {
      const { reasoning, providerOptions } = encoded(name, changes, { thinking: true });
      return { reasoning, ...providerOptions };
    };
    expect(thinks('google', {})).toEqual({ reasoning: 'high', google: { thinkingConfig: { includeThoughts: true } } });
    expect(thinks('google', { thinking: 'enabled', thinkingBudget: 900 })).toMatchObject({
      google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 900 } },
    });
    expect(thinks('google', { thinking: 'disabled' })).toEqual({ reasoning: 'none' });
    expect(thinks('azure', { thinking: 'disabled', userId: 'u1' })).toMatchObject({
      openai: { reasoningEffort: 'none', forceReasoning: true, user: 'u1' },
    });
    expect(thinks('azure', { effort: 'max' })).toMatchObject({ openai: { reasoningEffort: 'xhigh' } });
    expect(thinks('cohere', { thinking: 'disabled' })).toMatchObject({ cohere: { thinking: { type: 'disabled' } } });
    expect(thinks('cohere', { thinking: 'enabled', thinkingBudget: 50 })).toMatchObject({
      cohere: { thinking: { type: 'enabled', tokenBudget: 50 } },
    });
    expect(thinks('mistral', {})).toMatchObject({ reasoning: 'high' });
    expect(thinks('bedrock', { thinking: 'disabled' })).toMatchObject({ reasoning: 'none' });
    expect(thinks('bedrock', { thinking: 'enabled', thinkingBudget: 2000 })).toMatchObject({
      amazonBedrock: { reasoningConfig: { type: 'enabled', budgetTokens: 2000 } },
    });
    expect(thinks('bedrock', { maxTokens: 1000 })).toEqual({ reasoning: undefined });
    expect(thinks('bedrock', { temperature: 0.2 })).toEqual({ reasoning: undefined });
  });
});
