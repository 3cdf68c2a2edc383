import type { Move, Scene } from './scripted-model.ts';

interface MessagesBody {
  readonly tools?: readonly { name: string; input_schema?: { properties?: object } }[];
  readonly messages?: readonly { content: unknown }[];
}

/** The tools and tool results in a messages request. */
export function messagesScene(body: MessagesBody): Scene {
  const blocks = (body.messages ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : [])) as Block[];
  return {
    tools: (body.tools ?? []).map(({ name, input_schema }) => ({
      name,
      properties: Object.keys(input_schema?.properties ?? {}),
    })),
    results: blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))),
  };
}

interface Block {
  readonly type: string;
  readonly content?: unknown;
}

/** The move as a messages answer, as an event stream and as JSON. */
export function messagesAnswer(move: Move): { readonly stream: string; readonly json: unknown } {
  const stop = { stop_reason: move.type === 'call' ? 'tool_use' : 'end_turn', stop_sequence: null };
  const usage = { input_tokens: 1000, output_tokens: 20 };
  const head = { id: 'msg_scripted', type: 'message', role: 'assistant', model: 'scripted' };
  const event = (data: { type: string }) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const delta = (piece: object) => event({ type: 'content_block_delta', index: 0, delta: piece } as { type: string });
  const empty = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } };
  return {
    stream: [
      event({ type: 'message_start', message: empty } as { type: string }),
      event({ type: 'content_block_start', index: 0, content_block: opened(move) } as { type: string }),
      ...deltas(move).map(delta),
      event({ type: 'content_block_stop', index: 0 } as { type: string }),
      event({ type: 'message_delta', delta: stop, usage: { output_tokens: 20 } } as { type: string }),
      event({ type: 'message_stop' }),
    ].join(''),
    json: { ...head, content: [block(move)], ...stop, usage },
  };
}

function block(move: Move): object {
  if (move.type === 'say') return { type: 'text', text: move.text };
  return { type: 'tool_use', id: `toolu_${move.name}`, name: move.name, input: move.input };
}

function opened(move: Move): object {
  return { ...block(move), ...(move.type === 'say' ? { text: '' } : { input: {} }) };
}

function deltas(move: Move): readonly object[] {
  if (move.type === 'say') return [{ type: 'text_delta', text: move.text }];
  const pieces = JSON.stringify(move.input).match(/.{1,7}/gs) ?? [];
  return pieces.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
}
