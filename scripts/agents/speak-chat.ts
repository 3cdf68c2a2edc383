import type { Move, Scene } from './scripted-model.ts';

interface ChatBody {
  readonly tools?: readonly { function: { name: string; parameters?: { properties?: object } } }[];
  readonly messages?: readonly { role: string; content: unknown }[];
}

/** The tools and tool results in a chat-completions request. */
export function chatScene(body: ChatBody): Scene {
  return {
    tools: (body.tools ?? []).map(({ function: { name, parameters } }) => ({
      name,
      properties: Object.keys(parameters?.properties ?? {}),
    })),
    results: (body.messages ?? [])
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))),
  };
}

/** The move as a chat-completions answer, as an event stream and as JSON. */
export function chatAnswer(move: Move): { readonly stream: string; readonly json: unknown } {
  const head = { id: 'chatcmpl-scripted', created: 1_700_000_000, model: 'scripted' };
  const usage = { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 };
  const reason = move.type === 'call' ? 'tool_calls' : 'stop';
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const last = { ...head, object: 'chat.completion.chunk', choices: [], usage };
  const message = { role: 'assistant', ...messageContent(move) };
  return {
    stream: `${chunk({ role: 'assistant', content: '' })}${deltas(move)
      .map((delta) => chunk(delta))
      .join('')}${chunk({}, reason)}data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`,
    json: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: reason }], usage },
  };
}

function messageContent(move: Move): object {
  return move.type === 'say' ? { content: move.text } : { content: null, tool_calls: [toolCall(move)] };
}

function deltas(move: Move): readonly object[] {
  if (move.type === 'say') return (move.text.match(/\s*\S+/g) ?? []).map((content) => ({ content }));
  const { function: called, ...call } = toolCall(move);
  const pieces = called.arguments.match(/.{1,7}/gs) ?? [];
  return [
    { tool_calls: [{ index: 0, ...call, function: { name: called.name, arguments: '' } }] },
    ...pieces.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
  ];
}

function toolCall(move: Extract<Move, { type: 'call' }>) {
  const id = `call_${move.name}`;
  return { id, type: 'function', function: { name: move.name, arguments: JSON.stringify(move.input) } };
}
