import type { ChatRequest, Message, Tool, ToolCall, ToolChoice } from '../../core/chat-request.ts';
import { type BrokenRule, brokenRules, infiniteFields, invalidRequest } from '../invalid-request.ts';
import type { WireObject } from '../wire-value.ts';
import { decodeRequestFields } from './decode-request-fields.ts';
import type { WireMessage } from './message-schema.ts';
import { chatRequestSchema, type WireChatRequest } from './request-schema.ts';
import type { WireTool, WireToolChoice } from './tool-schema.ts';

/** Reads a parsed body, or throws `invalid-request` naming the fields and rules. The body itself is kept by reference. */
export function decodeChatRequest(value: unknown, bytes: number): ChatRequest {
  const result = chatRequestSchema.safeParse(value);
  if (!result.success) throw invalidRequest(brokenRules(result.error));
  const wire = result.data;
  const body = value as WireObject;
  const broken = [...infiniteFields(body), ...rulesBetweenFields(wire)];
  if (broken.length > 0) throw invalidRequest(broken);
  return {
    ...decodeRequestFields(wire),
    messages: wire.messages.map(decodeMessage),
    tools: wire.tools?.map(decodeTool) ?? [],
    toolChoice: decodeToolChoice(wire.tool_choice),
    maxTokens: wire.max_tokens ?? wire.max_completion_tokens ?? undefined,
    choices: wire.n ?? 1,
    logprobs: wire.logprobs ?? false,
    topLogprobs: wire.top_logprobs ?? undefined,
    wire: { format: 'chat-completions', body, bytes },
  };
}

function rulesBetweenFields(wire: WireChatRequest): readonly BrokenRule[] {
  const broken: BrokenRule[] = [];
  const tools = wire.tools ?? [];
  const choice = wire.tool_choice;
  if (choice === 'required' && tools.length === 0) {
    broken.push({ path: ['tool_choice'], rule: 'must not be required when no tools are given' });
  }
  if (typeof choice === 'object' && choice && !tools.some((tool) => tool.function.name === choice.function.name)) {
    broken.push({ path: ['tool_choice', 'function', 'name'], rule: 'must name a function listed in tools' });
  }
  if (typeof wire.top_logprobs === 'number' && wire.logprobs !== true) {
    broken.push({ path: ['top_logprobs'], rule: 'requires logprobs to be true' });
  }
  return broken;
}

function decodeMessage(message: WireMessage): Message {
  const text = contentText(message.content);
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text };
    case 'user':
      return { role: 'user', text };
    case 'assistant':
      return { role: 'assistant', text, toolCalls: message.tool_calls?.map(decodeToolCall) ?? [] };
    case 'tool':
      return { role: 'tool', text, toolCallId: message.tool_call_id };
    default:
      return message satisfies never;
  }
}

function contentText(content: WireMessage['content']): string {
  if (typeof content === 'string') return content;
  return content?.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('') ?? '';
}

type WireToolCall = NonNullable<Extract<WireMessage, { role: 'assistant' }>['tool_calls']>[number];

function decodeToolCall(call: WireToolCall): ToolCall {
  return { id: call.id, name: call.function.name, arguments: call.function.arguments };
}

function decodeTool(tool: WireTool): Tool {
  const { name, description, parameters } = tool.function;
  return { name, description: description ?? undefined, parameters: parameters ?? undefined };
}

function decodeToolChoice(choice: WireToolChoice | null | undefined): ToolChoice | undefined {
  if (typeof choice === 'object' && choice) return { name: choice.function.name };
  return choice ?? undefined;
}
