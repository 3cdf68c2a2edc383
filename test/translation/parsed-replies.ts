import type { TestGateway } from '../gateways/gateway.ts';
import { framesOf, type GatewayReply } from '../gateways/gateway.ts';
import { messageLife } from '../message-life.ts';
import { responseLife } from '../response-life.ts';
import type { ChatTurn, Json, MessagesTurn } from './cases.ts';

/** The result for a client: a complete turn with its usage, an error before it, or an interrupted turn with an error. */
export type ParsedReply<Turn> =
  | { readonly status: 200; readonly turn: Turn; readonly usage: Json; readonly model: unknown }
  | { readonly status: number; readonly error: Json }
  | { readonly status: 200; readonly text: string; readonly error: Json };

export async function sendChat(gateway: TestGateway, body: Json): Promise<ParsedReply<ChatTurn>> {
  const reply = await gateway.post('/v1/chat/completions', body);
  if (reply.status !== 200) return { status: reply.status, error: reply.json.error };
  if (body['stream'] !== true) return wholeChat(reply.json);
  return streamedChat(reply);
}

function wholeChat(completion: { choices: [ChatTurn & Json]; usage: Json; model: string }): ParsedReply<ChatTurn> {
  const [{ message, finish_reason }] = completion.choices;
  return { status: 200, turn: { message, finish_reason }, usage: completion.usage, model: completion.model };
}

function streamedChat(reply: GatewayReply): ParsedReply<ChatTurn> {
  const { frames, chunks } = framesOf(reply);
  const message: Record<string, unknown> = { role: undefined, content: null };
  const calls: { function: { arguments: string } }[] = [];
  let finish: string | undefined;
  for (const { choices } of chunks) {
    for (const { delta, finish_reason } of choices ?? []) {
      if (delta.role) message['role'] = delta.role;
      for (const name of ['reasoning_content', 'content']) {
        if (delta[name]) message[name] = String(message[name] ?? '') + String(delta[name]);
      }
      if (delta.reasoning_details) message['reasoning_details'] = delta.reasoning_details;
      for (const { index, ...call } of delta.tool_calls ?? []) {
        const known = calls[index];
        if (known) known.function.arguments += call.function.arguments;
        else calls[index] = call;
      }
      finish = finish_reason ?? finish;
    }
  }
  const last = chunks.at(-1);
  if (last.error) return { status: 200, text: String(message['content'] ?? ''), error: last.error };
  if (frames.at(-1) !== '[DONE]') throw new Error('the stream ends without its terminator');
  if (calls.length > 0) message['tool_calls'] = calls;
  return { status: 200, turn: { message, finish_reason: String(finish) }, usage: last.usage, model: last.model };
}

export async function sendMessage(gateway: TestGateway, body: Json): Promise<ParsedReply<MessagesTurn>> {
  const reply = await gateway.post('/anthropic/v1/messages', body, { 'x-api-key': gateway.key });
  if (reply.status !== 200) return { status: reply.status, error: reply.json.error };
  if (body['stream'] !== true) return parseMessage(reply.json);
  const { message, error } = messageLife(reply.text);
  const content = message.content.map(parsedInput);
  if (!error) return parseMessage({ ...message, content } as unknown as MessagesTurn & Json);
  const text = content.map((block) => String(block['text'] ?? '')).join('');
  return { status: 200, text, error: error['error'] as Json };
}

/** `messageLife` returns the input of a tool as text. */
function parsedInput(block: Json): Json {
  return typeof block['input'] === 'string' ? { ...block, input: JSON.parse(block['input']) as Json } : block;
}

function parseMessage({
  content,
  stop_reason,
  stop_sequence,
  usage,
  model,
}: MessagesTurn & Json): ParsedReply<MessagesTurn> {
  return { status: 200, turn: { content, stop_reason, stop_sequence }, usage: usage as Json, model };
}

/** The items of a response without their ids, and its final status. */
export interface ResponsesTurn {
  readonly items: readonly Json[];
  readonly end: Json;
}

export async function sendResponse(gateway: TestGateway, body: Json): Promise<ParsedReply<ResponsesTurn>> {
  const reply = await gateway.post('/v1/responses', body);
  if (reply.status !== 200) return { status: reply.status, error: reply.json.error };
  if (body['stream'] !== true) return parseResponse(reply.json);
  if (!reply.text.includes('event: error')) return parseResponse(responseLife(reply.text).response);
  const { error = {}, events } = responseLife(reply.text);
  const deltas = events.filter(({ type }) => type === 'response.output_text.delta');
  return { status: 200, text: deltas.map(({ delta }) => String(delta)).join(''), error };
}

function parseResponse({ output, status, incomplete_details, usage, model }: Json): ParsedReply<ResponsesTurn> {
  const items = (output as readonly Json[]).map(withoutId);
  return { status: 200, turn: { items, end: { status, incomplete_details } }, usage: usage as Json, model };
}

/** A translated answer has new ids. */
export function withoutId(item: Json): Json {
  const { id: _, ...rest } = item;
  return rest;
}
