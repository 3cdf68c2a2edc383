import type { ChatTurn, Json, TranslationCase } from './cases.ts';

/** The usage of all cases in the responses format, which includes cached tokens in the input tokens. */
export const responsesUsage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
};

/** The request of a case in the responses format, built from the chat-completions request, which is the most similar. */
export function requestInResponses({ request: { chat } }: TranslationCase): Json {
  const { messages, max_tokens, user_id, tools, tool_choice, thinking, reasoning_effort, ...same } = chat;
  const turns = messages as readonly Json[];
  const [first] = turns;
  const instructions = first?.['role'] === 'system' ? first['content'] : undefined;
  return {
    ...same,
    ...(instructions !== undefined && { instructions }),
    input: turns.slice(instructions === undefined ? 0 : 1).flatMap(itemsOf),
    max_output_tokens: max_tokens,
    ...(user_id !== undefined && { safety_identifier: user_id }),
    ...(tools !== undefined && { tools: (tools as readonly Json[]).map(toolOf) }),
    ...(tool_choice !== undefined && {
      tool_choice: typeof tool_choice === 'string' ? tool_choice : toolOf(tool_choice as Json),
    }),
    ...(thinking !== undefined && { reasoning: { effort: reasoning_effort, summary: 'auto' } }),
    store: false,
  };
}

/** A tool or a tool choice. The `function` object of chat completions is flat here. */
function toolOf({ type, function: inner }: Json): Json {
  return { type, ...(inner as Json) };
}

function itemsOf(message: Json): readonly Json[] {
  const { role, content, tool_calls, tool_call_id } = message;
  if (role === 'tool') return [{ type: 'function_call_output', call_id: tool_call_id, output: content }];
  const textItems = typeof content === 'string' ? [{ type: 'message', role, content: [textPart(role, content)] }] : [];
  const parts = Array.isArray(content) ? [{ type: 'message', role, content: (content as Json[]).map(partOf) }] : [];
  return [...textItems, ...parts, ...((tool_calls ?? []) as readonly Json[]).map(callOf)];
}

function textPart(role: unknown, text: string): Json {
  return role === 'assistant' ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text };
}

function partOf({ type, text, image_url }: Json): Json {
  if (type === 'text') return { type: 'input_text', text };
  return { type: 'input_image', image_url: (image_url as Json)['url'], detail: 'auto' };
}

function callOf({ id, function: called }: Json): Json {
  return { type: 'function_call', call_id: id, ...(called as Json) };
}

/** The items of an answer, and its final status. */
export function answerInResponses({ message, finish_reason }: ChatTurn): {
  readonly items: readonly Json[];
  readonly end: Json;
} {
  const end = ends[finish_reason] ?? { status: 'completed', incomplete_details: null };
  const { reasoning_content: reasoning, content: text, tool_calls } = message;
  const shown = { type: 'output_text', text, annotations: [], logprobs: [] };
  const items = [
    ...(reasoning
      ? [{ id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }], status: 'completed' }]
      : []),
    ...(text ? [{ id: 'msg_1', type: 'message', role: 'assistant', status: end['status'], content: [shown] }] : []),
    ...((tool_calls ?? []) as readonly Json[]).map((call) => ({
      id: `fc_${String(call['id'])}`,
      status: 'completed',
      ...callOf(call),
    })),
  ];
  return { items, end };
}

const ends: Readonly<Record<string, Json>> = {
  length: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
  content_filter: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
};
