/** One exchange, with request and answer in the chat-completions format and in the messages format. */
export interface TranslationCase {
  readonly name: string;
  readonly request: { readonly chat: Json; readonly messages: Json };
  readonly answer: { readonly chat: ChatTurn; readonly messages: MessagesTurn };
}

export type Json = Readonly<Record<string, unknown>>;

/** The message and finish of a completion. */
export interface ChatTurn {
  readonly message: Json;
  readonly finish_reason: string;
}

/** The blocks and stop of a message. */
export interface MessagesTurn {
  readonly content: readonly Json[];
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
}

/**
 * The same usage in both formats. Chat completions include cached tokens in the prompt tokens, and messages do not:
 * 100 prompt tokens are 40 read, 10 written and 50 other tokens. A double count would charge the customer twice.
 */
export const usage = {
  chat: {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 40 },
    upstream_cache_creation_5_m_tokens: 10,
  },
  messages: {
    input_tokens: 50,
    output_tokens: 20,
    cache_read_input_tokens: 40,
    cache_creation_input_tokens: 10,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 0 },
  },
};

const question = { chat: { role: 'user', content: 'What now?' }, messages: { role: 'user', content: 'What now?' } };
const passThroughAnswer = {
  chat: { message: { role: 'assistant', content: 'Hello there, friend' }, finish_reason: 'stop' },
  messages: {
    content: [{ type: 'text', text: 'Hello there, friend' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
  },
} as const;

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = {
  chat: [{ type: 'function', function: { name: 'get_weather', description: 'The weather', parameters: schema } }],
  messages: [{ name: 'get_weather', description: 'The weather', input_schema: schema }],
};
const call = (id: string, city: string) => ({
  chat: { id, type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } },
  messages: { type: 'tool_use', id, name: 'get_weather', input: { city } },
});
const oslo = call('call_oslo', 'Oslo');
const rome = call('call_rome', 'Rome');
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const cases: readonly TranslationCase[] = [
  {
    name: 'plain',
    request: {
      chat: {
        messages: [{ role: 'system', content: 'Be brief.' }, question.chat],
        max_tokens: 100,
        temperature: 0.5,
        top_p: 0.9,
        user_id: 'user-7',
      },
      messages: {
        system: 'Be brief.',
        messages: [question.messages],
        max_tokens: 100,
        temperature: 0.5,
        top_p: 0.9,
        metadata: { user_id: 'user-7' },
      },
    },
    answer: passThroughAnswer,
  },
  {
    name: 'thinking',
    request: {
      chat: { messages: [question.chat], max_tokens: 30_000, thinking: { type: 'enabled' }, reasoning_effort: 'high' },
      messages: {
        messages: [question.messages],
        max_tokens: 30_000,
        thinking: { type: 'enabled', budget_tokens: 16_000 },
      },
    },
    answer: {
      chat: {
        message: { role: 'assistant', reasoning_content: 'First I think.', content: 'Then I speak.' },
        finish_reason: 'stop',
      },
      messages: {
        content: [
          { type: 'thinking', thinking: 'First I think.', signature: 'proof' },
          { type: 'text', text: 'Then I speak.' },
        ],
        stop_reason: 'end_turn',
        stop_sequence: null,
      },
    },
  },
  {
    name: 'one tool',
    request: {
      chat: { messages: [question.chat], max_tokens: 100, tools: tools.chat, tool_choice: 'required' },
      messages: { messages: [question.messages], max_tokens: 100, tools: tools.messages, tool_choice: { type: 'any' } },
    },
    answer: {
      chat: {
        message: { role: 'assistant', content: 'Let me look.', tool_calls: [oslo.chat] },
        finish_reason: 'tool_calls',
      },
      messages: {
        content: [{ type: 'text', text: 'Let me look.' }, oslo.messages],
        stop_reason: 'tool_use',
        stop_sequence: null,
      },
    },
  },
  {
    name: 'parallel tools',
    request: {
      chat: {
        messages: [question.chat],
        max_tokens: 100,
        tools: tools.chat,
        tool_choice: { type: 'function', function: { name: 'get_weather' } },
      },
      messages: {
        messages: [question.messages],
        max_tokens: 100,
        tools: tools.messages,
        tool_choice: { type: 'tool', name: 'get_weather' },
      },
    },
    answer: {
      chat: {
        message: { role: 'assistant', content: null, tool_calls: [oslo.chat, rome.chat] },
        finish_reason: 'tool_calls',
      },
      messages: { content: [oslo.messages, rome.messages], stop_reason: 'tool_use', stop_sequence: null },
    },
  },
  {
    name: 'tool result turn',
    request: {
      chat: {
        messages: [
          question.chat,
          { role: 'assistant', content: 'Let me look.', tool_calls: [oslo.chat, rome.chat] },
          { role: 'tool', tool_call_id: 'call_oslo', content: '4 degrees' },
          { role: 'tool', tool_call_id: 'call_rome', content: '21 degrees' },
          { role: 'user', content: 'And?' },
        ],
        max_tokens: 100,
        tools: tools.chat,
      },
      messages: {
        messages: [
          question.messages,
          {
            role: 'assistant',
            content: [{ type: 'text', text: 'Let me look.' }, oslo.messages, rome.messages],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'call_oslo', content: '4 degrees' },
              { type: 'tool_result', tool_use_id: 'call_rome', content: '21 degrees' },
              { type: 'text', text: 'And?' },
            ],
          },
        ],
        max_tokens: 100,
        tools: tools.messages,
      },
    },
    answer: passThroughAnswer,
  },
  {
    name: 'image',
    request: {
      chat: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } },
              { type: 'image_url', image_url: { url: 'https://pictures.example/cat.png' } },
            ],
          },
        ],
        max_tokens: 100,
      },
      messages: {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is this?' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
              { type: 'image', source: { type: 'url', url: 'https://pictures.example/cat.png' } },
            ],
          },
        ],
        max_tokens: 100,
      },
    },
    answer: passThroughAnswer,
  },
  {
    name: 'stop sequence',
    request: {
      chat: { messages: [question.chat], max_tokens: 100, stop: ['friend', 'END'] },
      messages: { messages: [question.messages], max_tokens: 100, stop_sequences: ['friend', 'END'] },
    },
    answer: {
      chat: { message: { role: 'assistant', content: 'Hello there,' }, finish_reason: 'stop' },
      messages: {
        content: [{ type: 'text', text: 'Hello there,' }],
        stop_reason: 'stop_sequence',
        stop_sequence: 'END',
      },
    },
  },
  {
    name: 'max tokens',
    request: {
      chat: { messages: [question.chat], max_tokens: 20 },
      messages: { messages: [question.messages], max_tokens: 20 },
    },
    answer: {
      chat: { message: { role: 'assistant', content: 'Hello' }, finish_reason: 'length' },
      messages: { content: [{ type: 'text', text: 'Hello' }], stop_reason: 'max_tokens', stop_sequence: null },
    },
  },
  {
    name: 'refusal',
    request: {
      chat: { messages: [question.chat], max_tokens: 100 },
      messages: { messages: [question.messages], max_tokens: 100 },
    },
    answer: {
      chat: { message: { role: 'assistant', content: 'I cannot' }, finish_reason: 'content_filter' },
      messages: { content: [{ type: 'text', text: 'I cannot' }], stop_reason: 'refusal', stop_sequence: null },
    },
  },
];
