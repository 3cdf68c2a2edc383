import type { Move, Scene } from './scripted-model.ts';

interface ResponsesBody {
  readonly tools?: readonly { type: string; name: string; parameters?: { properties?: object } }[];
  readonly input?: readonly { type?: string; output?: unknown }[];
}

/** The tools and tool results in a responses request. */
export function responsesScene(body: ResponsesBody): Scene {
  return {
    tools: (body.tools ?? [])
      .filter(({ type }) => type === 'function')
      .map(({ name, parameters }) => ({ name, properties: Object.keys(parameters?.properties ?? {}) })),
    results: (body.input ?? [])
      .filter(({ type }) => type === 'function_call_output')
      .map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output))),
  };
}

/** The move as a response, as an event stream and as JSON. */
export function responsesAnswer(move: Move): { readonly stream: string; readonly json: unknown } {
  const head = { id: 'resp_scripted', object: 'response', created_at: 1_700_000_000, model: 'scripted', error: null };
  const usage = { input_tokens: 1000, output_tokens: 20, total_tokens: 1020 };
  const item = itemOf(move);
  const done = { ...head, status: 'completed', output: [item], usage };
  const begun = { ...head, status: 'in_progress', output: [], usage: null };
  const position = { item_id: item.id, output_index: 0 };
  const events: readonly { type: string }[] = [
    { type: 'response.created', response: begun } as { type: string },
    { type: 'response.in_progress', response: begun } as { type: string },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, ...emptied(move) } } as { type: string },
    ...eventsOf(move).map((event) => ({ ...position, ...event })),
    { type: 'response.output_item.done', output_index: 0, item } as { type: string },
    { type: 'response.completed', response: done } as { type: string },
  ];
  const frame = (event: { type: string }, sequence_number: number) =>
    `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`;
  return { stream: events.map(frame).join(''), json: done };
}

function itemOf(move: Move) {
  if (move.type === 'say') {
    const content = [{ type: 'output_text', text: move.text, annotations: [], logprobs: [] }];
    return { id: 'msg_scripted', type: 'message', role: 'assistant', status: 'completed', content };
  }
  const call = { call_id: `call_${move.name}`, name: move.name, arguments: JSON.stringify(move.input) };
  return { id: 'fc_scripted', type: 'function_call', status: 'completed', ...call };
}

function emptied(move: Move): object {
  return { status: 'in_progress', ...(move.type === 'say' ? { content: [] } : { arguments: '' }) };
}

function eventsOf(move: Move): readonly { type: string }[] {
  if (move.type === 'say') {
    const part = (text: string) => ({ content_index: 0, part: { type: 'output_text', text, annotations: [] } });
    const at = { content_index: 0, logprobs: [] };
    const words = move.text.match(/\s*\S+/g) ?? [];
    return [
      { type: 'response.content_part.added', ...part('') },
      ...words.map((delta) => ({ type: 'response.output_text.delta', ...at, delta })),
      { type: 'response.output_text.done', ...at, text: move.text } as { type: string },
      { type: 'response.content_part.done', ...part(move.text) },
    ];
  }
  const json = JSON.stringify(move.input);
  return [
    ...(json.match(/.{1,7}/gs) ?? []).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
    { type: 'response.function_call_arguments.done', name: move.name, arguments: json } as { type: string },
  ];
}
