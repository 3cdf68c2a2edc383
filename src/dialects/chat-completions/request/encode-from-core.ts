import type { AnswerFormat, ChatRequest, Tool, ToolChoice } from '../../../core/chat/chat-request.ts';
import type { WireObject } from '../../wire-value.ts';
import type { BodyFields } from './body-fields.ts';
import { encodeConversation } from './encode-conversation.ts';
import type { ResolvedQuirks } from '../quirks.ts';

/**
 * The fields of a body for a request of another format. Their order is fixed, and fields that change least between
 * turns come first, so that the provider's prompt cache matches a long prefix.
 */
export function chatFieldsOfCore(request: ChatRequest, quirks: ResolvedQuirks): BodyFields {
  const { tools, toolChoice, parallelToolCalls, answerFormat, userId } = request;
  const hasTools = tools.length > 0;
  const fields: readonly (readonly [string, unknown])[] = [
    ['model', request.model],
    ['tools', hasTools ? tools.map(encodeTool) : undefined],
    ['tool_choice', hasTools ? encodeToolChoice(toolChoice) : undefined],
    ['parallel_tool_calls', hasTools && parallelToolCalls === false ? false : undefined],
    ['messages', encodeConversation(request.messages, quirks)],
    ['response_format', answerFormat && encodeAnswerFormat(answerFormat)],
    ['temperature', request.temperature],
    ['top_p', request.topP],
    // Not in the format, but many providers accept it. The others reject the request.
    ['top_k', request.topK],
    ['stop', request.stop.length > 0 ? request.stop : undefined],
    ['logprobs', request.logprobs || undefined],
    ['top_logprobs', request.logprobs ? request.topLogprobs : undefined],
    ['user_id', userId === undefined ? undefined : validLabel(userId)],
  ];
  return new Map(fields.filter(([, value]) => value !== undefined));
}

function encodeTool({ name, description, parameters, strict }: Tool): WireObject {
  return { type: 'function', function: { name, description, parameters, strict: strict === true || undefined } };
}

function encodeToolChoice(choice: ToolChoice | undefined): unknown {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice;
}

function encodeAnswerFormat(format: AnswerFormat): WireObject {
  if (format === 'json') return { type: 'json_object' };
  const { name = 'answer', schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, schema, strict } };
}

/** The longest label that every provider of the format accepts. */
const labelMax = 64;

/** Agents put whole objects into the label. Providers accept only letters, digits, `_` and `-`. */
function validLabel(userId: string): string {
  return userId.replaceAll(/[^A-Za-z0-9_-]+/g, '_').slice(0, labelMax);
}
