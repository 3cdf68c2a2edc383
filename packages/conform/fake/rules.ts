type Body = Readonly<Record<string, unknown>>;

/** Limits of the contract by field. Each returns whether a body, without its null fields, follows the limit. */
export const rules: Readonly<Record<string, (body: Body) => boolean>> = {
  model: ({ model }) => typeof model === 'string',
  messages: ({ messages }) => list(messages).length > 0,
  element: (body) => list(body.messages).every((message) => typeof message === 'object' && message !== null),
  role: (body) => messagesOf(body).every(({ role }) => one(role, ['system', 'user', 'assistant', 'tool'])),
  content: (body) =>
    messagesOf(body).every(({ role, content }) => typeof content === 'string' || isReplay(role, content)),
  tool_call_id: (body) => messagesOf(body).every((m) => m.role !== 'tool' || typeof m.tool_call_id === 'string'),
  name: (body) => messagesOf(body).every(({ name }) => optional('string', name)),
  temperature: ({ temperature }) => within(temperature, 2),
  top_p: ({ top_p }) => within(top_p, 1),
  stop: ({ stop = [] }) => [stop].flat().every((sequence) => typeof sequence === 'string'),
  'stop length': ({ stop }) => list(stop).length <= 16,
  'tools length': ({ tools }) => list(tools).length <= 128,
  'tool type': ({ tools }) => list(tools).every((tool) => of(tool).type === 'function'),
  'tool name': ({ tools }) => list(tools).every((tool) => matches(of(of(tool).function).name, /^[\w-]{1,64}$/)),
  tool_choice: ({ tool_choice = 'auto' }) =>
    typeof tool_choice === 'object' || one(tool_choice, ['none', 'auto', 'required']),
  'user_id length': ({ user_id = '' }) => typeof user_id !== 'string' || user_id.length <= 512,
  user_id: ({ user_id = '' }) => matches(user_id, /^[\w-]*$/),
  logprobs: ({ logprobs }) => optional('boolean', logprobs),
  top_logprobs: ({ top_logprobs = 0 }) => Number.isInteger(top_logprobs) && within(top_logprobs, 20),
  'top_logprobs alone': ({ top_logprobs, logprobs }) => top_logprobs === undefined || logprobs === true,
  max_tokens: ({ max_tokens = 1 }) => Number.isInteger(max_tokens) && within(max_tokens, 1e6),
  response_format: ({ response_format = { type: 'text' } }) => one(of(response_format).type, ['text', 'json_object']),
  stream: ({ stream }) => optional('boolean', stream),
  thinking: ({ thinking = { type: 'enabled' } }) => one(of(thinking).type, ['enabled', 'disabled']),
  reasoning_effort: ({ reasoning_effort = 'high' }) => one(reasoning_effort, ['low', 'medium', 'high', 'xhigh', 'max']),
};

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function of(value: unknown): Body {
  return typeof value === 'object' && value !== null ? (value as Body) : {};
}

export function messagesOf(body: Body): readonly Body[] {
  return list(body.messages).map(of);
}

function isReplay(role: unknown, content: unknown): boolean {
  return role === 'assistant' && content === null;
}

function one(value: unknown, known: readonly string[]): boolean {
  return typeof value === 'string' && known.includes(value);
}

function optional(type: string, value: unknown): boolean {
  return value === undefined || typeof value === type;
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function within(value: unknown, most: number): boolean {
  return value === undefined || (typeof value === 'number' && value >= 0 && value <= most);
}
