import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { encodeChatRequest } from '../../chat-completions/request/encode-request.ts';
import { defaultQuirks } from '../../chat-completions/quirks.ts';
import { decodeMessagesRequest } from './decode-request.ts';
import { encodeMessagesRequest } from './encode-request.ts';

/** Request bodies of agents that use the messages format. */
function recorded(name: string) {
  const text = readFileSync(
    new URL(`../../../../../test/fixtures/dialects/messages/${name}.json`, import.meta.url),
    'utf8',
  );
  return { text, request: decodeMessagesRequest(JSON.parse(text), { text, bytes: text.length, headers: {} }) };
}

const names = ['coding-agent-turn', 'coding-agent-title', 'research-agent-turn'];
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test.each(names)('%s is sent to a provider of the same format with only the model replaced', (name) => {
  const { text, request } = recorded(name);
  const encoding = { maxTokens: request.maxTokens, maxOutputTokens: undefined, thinkingCapable: true } as const;
  const sent = encodeMessagesRequest(request, { ...encoding, model: 'theirs', thinkingStyle: 'budget' });
  expect(sha256(sent)).toBe(sha256(text.replace(/"model": "[^"]+"/, '"model": "theirs"')));
});

describe('a request to a provider of the chat-completions format', () => {
  const sent = (name: string, quirks: Partial<typeof defaultQuirks> = {}) => {
    const { request } = recorded(name);
    return encodeChatRequest(request, {
      model: 'theirs',
      maxTokens: request.maxTokens,
      thinkingCapable: true,
      quirks: { ...defaultQuirks, ...quirks },
    });
  };
  const parsed = (name: string, quirks?: Partial<typeof defaultQuirks>) => JSON.parse(sent(name, quirks));

  test('may be a turn of a coding agent', () => {
    const source = JSON.parse(recorded('coding-agent-turn').text);
    const image = source.messages[2].content[0].content[0].source.data;
    const reminder = source.messages[2].content[2].text;
    const tool = ({ name, description, input_schema }: Record<string, unknown>) => ({
      type: 'function',
      function: { name, description, parameters: input_schema },
    });
    expect(parsed('coding-agent-turn', { userField: 'user', reasoningReplay: true })).toEqual({
      model: 'theirs',
      tools: source.tools.map(tool),
      messages: [
        { role: 'system', content: source.system.map(({ text }: { text: string }) => text).join('\n\n') },
        { role: 'user', content: `${source.messages[0].content[0].text}\n\n${source.messages[0].content[1].text}` },
        {
          role: 'assistant',
          content: "I'll look at both.",
          reasoning_content: source.messages[1].content[0].thinking,
          tool_calls: [
            {
              id: 'toolu_01A',
              type: 'function',
              function: { name: 'Read', arguments: '{"file_path":"/repo/docs/login.png"}' },
            },
            {
              id: 'toolu_01B',
              type: 'function',
              function: {
                name: 'Bash',
                arguments: '{"command":"grep -rn \'login\' styles/","description":"Find login styles"}',
              },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'toolu_01A', content: '' },
        {
          role: 'tool',
          tool_call_id: 'toolu_01B',
          content: 'Error: <tool_use_error>grep: styles/: No such file or directory</tool_use_error>',
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'From the result of the tool call toolu_01A:' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } },
            { type: 'text', text: reminder },
          ],
        },
      ],
      max_tokens: 64_000,
      user: '_device_id_6f1c0b2b8d3e4a5f9a7b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f7',
      thinking: { type: 'enabled' },
      reasoning_effort: 'high',
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('has its fields in a fixed order', () => {
    expect(Object.keys(parsed('coding-agent-turn', { userField: 'none' }))).toEqual([
      'model',
      'tools',
      'messages',
      'max_tokens',
      'thinking',
      'reasoning_effort',
      'stream',
      'stream_options',
    ]);
    expect(sent('coding-agent-turn')).toBe(sent('coding-agent-turn'));
  });

  test('may be for the title of a session', () => {
    expect(parsed('coding-agent-title', { userField: 'none' })).toEqual({
      model: 'theirs',
      messages: [
        { role: 'system', content: expect.stringMatching(/^Generate a concise/) },
        { role: 'user', content: 'Why does the login page look broken?' },
      ],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: expect.objectContaining({ required: ['title'] }) },
      },
      temperature: 1,
      max_tokens: 512,
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('may be a turn with documents', () => {
    expect(parsed('research-agent-turn')).toMatchObject({
      tools: [{ type: 'function', function: { name: 'cite', strict: true } }],
      tool_choice: { type: 'function', function: { name: 'cite' } },
      parallel_tool_calls: false,
      messages: [
        { role: 'system', content: 'You summarise documents.' },
        {
          role: 'user',
          content: [
            { type: 'file', file: { filename: 'report.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQK' } },
            { type: 'text', text: 'notes\n\nPlain notes.' },
            { type: 'image_url', image_url: { url: 'https://images.example/chart.png' } },
            { type: 'text', text: 'Which page has the chart?' },
          ],
        },
      ],
      temperature: 0.3,
      stop: ['</answer>'],
    });
  });
});
