import { chunk, finish, json, type ScriptedReply, sse, usage as usageChunk } from '../fakes/fake-provider.ts';
import { type ChatTurn, type Json, type MessagesTurn, usage } from './cases.ts';
import { responseObject } from 'chat-formats/responses/answer/response-object.ts';
import { responsesUsage } from './in-responses.ts';

/** The answer of a provider of the chat-completions format, which always gets `stream: true`. */
export function chatReply({ message, finish_reason }: ChatTurn): ScriptedReply {
  const { completion_tokens, prompt_tokens, total_tokens: _, ...details } = usage.chat;
  return sse([
    chunk({ role: 'assistant', content: '' }),
    ...chatDeltas(message).map((delta) => chunk(delta)),
    finish(finish_reason),
    usageChunk(prompt_tokens, completion_tokens, details),
    '[DONE]',
  ]);
}

/** Text in pieces. The arguments of parallel calls are interleaved, as some providers send them. */
function chatDeltas({ reasoning_content, content, tool_calls }: Json): readonly Json[] {
  const calls = (tool_calls ?? []) as readonly { function: { name: string; arguments: string } }[];
  const pieces = calls.map(({ function: called }) => halves(called.arguments));
  return [
    ...halves(reasoning_content).map((piece) => ({ reasoning_content: piece })),
    ...halves(content).map((piece) => ({ content: piece })),
    ...calls.map((call, index) => ({
      tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }],
    })),
    ...[0, 1].flatMap((half) =>
      pieces.map((halves, index) => ({ tool_calls: [{ index, function: { arguments: halves[half] } }] })),
    ),
  ];
}

/** The answer of a provider of the messages format, streamed or as JSON as requested. */
export function messagesReply(turn: MessagesTurn): ScriptedReply {
  return (writer, call) => {
    const reply = call.body?.['stream'] === true ? sse(messagesFrames(turn).map(raw)) : json(200, wholeMessage(turn));
    return reply(writer, call);
  };
}

export function wholeMessage(turn: MessagesTurn): Json {
  return { ...head, ...turn, usage: usage.messages };
}

export function messagesFrames({ content, ...stop }: MessagesTurn): readonly string[] {
  const { output_tokens, ...input } = usage.messages;
  const empty = { ...head, content: [], stop_reason: null, stop_sequence: null, usage: { ...input, output_tokens: 1 } };
  return [
    event({ type: 'message_start', message: empty }),
    event({ type: 'ping' }),
    ...content.flatMap((block, index) => [
      event({ type: 'content_block_start', index, content_block: { ...block, ...emptied(block) } }),
      ...deltas(block).map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]),
    event({ type: 'message_delta', delta: stop, usage: { ...input, output_tokens } }),
    event({ type: 'message_stop' }),
  ];
}

const head = { id: 'msg_of_the_provider', type: 'message', role: 'assistant', model: 'fake' };

function emptied({ type }: Json): Json {
  if (type === 'text') return { text: '' };
  return type === 'thinking' ? { thinking: '', signature: '' } : { input: {} };
}

function deltas(block: Json): readonly Json[] {
  if (block['type'] === 'text') return halves(block['text']).map((text) => ({ type: 'text_delta', text }));
  if (block['type'] === 'tool_use') {
    return halves(JSON.stringify(block['input'])).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  }
  const thinkingDeltas = halves(block['thinking']).map((thinking) => ({ type: 'thinking_delta', thinking }));
  return [
    ...thinkingDeltas,
    ...(block['signature'] ? [{ type: 'signature_delta', signature: block['signature'] }] : []),
  ];
}

function event(data: Json): string {
  return `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`;
}

function raw(text: string): { raw: string } {
  return { raw: text };
}

function halves(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

/** The answer of a provider of the responses format, streamed or as JSON as requested. */
export function responsesReply(items: readonly Json[], end: Json): ScriptedReply {
  return (writer, call) => {
    const whole = { ...responseHead, ...end, output: items, usage: responsesUsage };
    const reply = call.body?.['stream'] === true ? sse(responsesFrames(items, whole).map(raw)) : json(200, whole);
    return reply(writer, call);
  };
}

export function responsesFrames(items: readonly Json[], whole: Json): readonly string[] {
  let number = 0;
  const numbered = (data: Json): string => event({ ...data, sequence_number: number++ });
  const started = { ...responseHead, status: 'in_progress', output: [], usage: null };
  return [
    numbered({ type: 'response.created', response: started }),
    numbered({ type: 'response.in_progress', response: started }),
    ...items.flatMap((item, output_index) => [
      numbered({ type: 'response.output_item.added', output_index, item: { ...item, ...startedItem(item) } }),
      ...itemDeltas(item).map((delta) => numbered({ output_index, item_id: item['id'], ...delta })),
      numbered({ type: 'response.output_item.done', output_index, item }),
    ]),
    numbered({ type: `response.${String(whole['status'])}`, response: whole }),
  ];
}

const responseHead = responseObject(
  { id: 'of_the_provider', created: 1, model: 'fake', body: {}, now: () => 2, logprobs: false },
  { status: 'in_progress', output: [] },
);

function startedItem({ type }: Json): Json {
  if (type === 'message') return { status: 'in_progress', content: [] };
  return type === 'reasoning' ? { status: 'in_progress', summary: [] } : { status: 'in_progress', arguments: '' };
}

function itemDeltas(item: Json): readonly Json[] {
  const [part] = (item['content'] ?? item['summary'] ?? []) as readonly Json[];
  if (item['type'] === 'function_call') {
    const deltas = halves(item['arguments']).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      delta,
    }));
    return [...deltas, { type: 'response.function_call_arguments.done', arguments: item['arguments'] }];
  }
  const [name, index] =
    item['type'] === 'message' ? ['content', 'content_index'] : ['reasoning_summary', 'summary_index'];
  const text = item['type'] === 'message' ? 'output_text' : 'reasoning_summary_text';
  return [
    { type: `response.${name}_part.added`, [index]: 0, part: { ...part, text: '' } },
    ...halves(part?.['text']).map((delta) => ({ type: `response.${text}.delta`, [index]: 0, delta })),
    { type: `response.${text}.done`, [index]: 0, text: part?.['text'] },
    { type: `response.${name}_part.done`, [index]: 0, part },
  ];
}
