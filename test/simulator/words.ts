import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';

/** The constraint that a request may put on its answer. */
export type Demand = 'call' | 'strict' | 'json';

/** How a model violates it: it writes text instead, or JSON that does not fit the schema. */
export type Disobedience = 'speaks' | 'misfits';

const name = 'call';
/** The schema of tool arguments and of JSON answers. */
const schema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};

/** The request fields for a constraint. */
export function constraintFields(demand: Demand | undefined): Readonly<Record<string, unknown>> {
  if (demand === undefined) return {};
  if (demand === 'json') return { response_format: { type: 'json_schema', json_schema: { name, schema } } };
  const tools = [{ type: 'function', function: { name, parameters: schema, strict: demand === 'strict' } }];
  return { tools, tool_choice: 'required' };
}

/** The events of an answer, in pieces of four characters. Every counter of this world counts a piece as one token. */
export function answerEvents(
  { tools, answerFormat }: Pick<ChatRequest, 'tools' | 'answerFormat'>,
  { pieces, disobeys }: { readonly pieces: number; readonly disobeys?: Disobedience | undefined },
): readonly StreamEvent[] {
  const filling = Array.from({ length: pieces }, () => 'word');
  if (disobeys === 'speaks' || (tools.length === 0 && answerFormat === undefined)) return filling.map(textDelta);
  const json = [disobeys === 'misfits' ? '{"b"' : '{"a"', ':"wo', ...filling, 'rd"}'];
  if (answerFormat !== undefined) return json.map(textDelta);
  return [
    { type: 'tool-call-start', choice: 0, call: 0, id: 'call_1', name },
    ...json.map((piece) => ({ type: 'tool-call-delta', choice: 0, call: 0, arguments: piece }) as const),
  ];
}

function textDelta(text: string): StreamEvent {
  return { type: 'text-delta', choice: 0, text };
}
