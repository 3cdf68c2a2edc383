import { describe, expect, it } from 'vitest';
import type { PlaygroundMessage } from './answer.ts';
import { chatBody } from './chat-surface.ts';
import { messagesBody } from './messages-surface.ts';
import { firstSettings, type Settings } from './settings.ts';
import { snippetsOf } from './snippets.ts';
import { exampleTools, readTools } from './tools.ts';

const settings: Settings = {
  ...firstSettings,
  model: 'sim-chat',
  system: "Don't ramble.",
  temperature: 1.5,
  thinking: 'on',
  effort: 'high',
  stop: ['END'],
  tools: exampleTools,
};

const conversation: readonly PlaygroundMessage[] = [
  { role: 'user', text: "What's the weather in Bern?" },
  {
    role: 'assistant',
    parts: [
      { kind: 'thinking', text: 'I have to look.', signature: 'c2ln' },
      { kind: 'text', text: 'One moment.' },
      { kind: 'call', id: 'call_1', name: 'get_weather', arguments: '{"city":"Bern"}' },
    ],
  },
  { role: 'tool', results: [{ callId: 'call_1', name: 'get_weather', content: 'sunny' }] },
];

describe('a conversation with a tool', () => {
  it('is sent as chat completions without reasoning', () => {
    expect(chatBody(settings, conversation)).toMatchObject({
      messages: [
        { role: 'system', content: "Don't ramble." },
        { role: 'user' },
        {
          role: 'assistant',
          content: 'One moment.',
          tool_calls: [{ id: 'call_1', type: 'function', function: { arguments: '{"city":"Bern"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      ],
      temperature: 1.5,
      stop: ['END'],
      thinking: { type: 'enabled' },
      reasoning_effort: 'high',
      tools: [{ type: 'function', function: { name: 'get_weather' } }],
    });
  });

  it('is sent as messages with signed reasoning and within their limits', () => {
    expect(messagesBody(settings, conversation)).toMatchObject({
      system: "Don't ramble.",
      max_tokens: 4096,
      temperature: 1,
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      tools: [{ name: 'get_weather', input_schema: { required: ['city'] } }],
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', signature: 'c2ln' },
            { type: 'text' },
            { type: 'tool_use', id: 'call_1', input: { city: 'Bern' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'sunny' }] },
      ],
    });
  });

  it('leaves out parameters that are not set', () => {
    const body = chatBody({ ...firstSettings, model: 'm' }, [{ role: 'user', text: 'Hi' }]);
    expect(Object.keys(body)).toEqual(['model', 'messages', 'stream', 'stream_options']);
  });
});

describe('the typed tools', () => {
  it('may have the format of either surface', () => {
    const schema = { type: 'object', properties: { a: {} } };
    const chat = readTools(JSON.stringify([{ type: 'function', function: { name: 'x', parameters: schema } }]));
    const messages = readTools(JSON.stringify([{ name: 'x', input_schema: schema }]));
    expect(chat).toEqual(messages);
    expect(chat).toEqual({ tools: [{ name: 'x', description: undefined, parameters: schema }] });
  });

  it.each([
    ['[{', 'not-json'],
    ['{"name":"x"}', 'not-a-list'],
    ['[{"type":"function"}]', 'no-name'],
    ['[null]', 'no-name'],
  ])('%s are rejected as %s', (text, problem) => {
    expect(readTools(text)).toEqual({ problem });
  });
});

describe('the request as code', () => {
  const nameOf = ({ name, variant = '' }: { readonly name: string; readonly variant?: string }) =>
    `${name} ${variant}`.trim();
  const urls = { openai: 'https://gateway.test/v1', anthropic: 'https://gateway.test/anthropic' };

  it('is offered for both languages and contains no key', () => {
    const snippets = snippetsOf(settings, conversation, urls);
    expect(snippets.map(nameOf)).toEqual([
      'curl',
      'OpenAI SDK Python',
      'OpenAI SDK TypeScript',
      'Anthropic SDK Python',
      'Anthropic SDK TypeScript',
      'AI SDK',
    ]);
    for (const { code } of snippets) {
      expect(code).toContain('GATEWAY_KEY');
      expect(code).toContain('sim-chat');
    }
  });

  it('quotes an apostrophe for the shell', () => {
    expect(snippetsOf(settings, conversation, urls)[0]?.code).toContain(String.raw`Don'\''t ramble.`);
  });

  it('passes parameters unknown to the Python packages separately, and writes Python literals', () => {
    const code = Object.fromEntries(snippetsOf(settings, conversation, urls).map((each) => [nameOf(each), each.code]));
    expect(code['OpenAI SDK Python']).toContain('    extra_body={"thinking": {"type": "enabled"}},\n');
    expect(code['OpenAI SDK Python']).toContain('    stream=True,\n');
    expect(code['Anthropic SDK Python']).toContain('    extra_body={"output_config": {"effort": "high"}},\n');
    expect(code['Anthropic SDK Python']).not.toContain('stream=');
  });
});
