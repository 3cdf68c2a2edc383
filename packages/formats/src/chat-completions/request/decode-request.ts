import type { AnswerFormat, ChatRequest, Tool, ToolChoice } from '../../chat/chat-request.ts';
import { type InvalidField, invalidFields, infiniteFields, invalidRequest } from '../../invalid-request.ts';
import { isPlainText } from '../../media.ts';
import { decodePriceOptions } from '../../priced-fields.ts';
import { spendingOf } from '../../spending.ts';
import { cacheOf } from '../../cache-control.ts';
import { objectOf, type WireObject, isObject, listOf } from '../../wire-value.ts';
import { decodeMessage } from './decode-message.ts';
import { decodeRequestFields } from './request-fields.ts';
import {
  chatRequestSchema,
  isUsualRequest,
  type WireChatRequest,
  type WireTool,
  type WireToolChoice,
} from './request-schema.ts';

/** `forwarded` is the body for the provider: it equals `value`, but its large numbers keep all their digits. */
export function decodeChatRequest(value: unknown, bytes: number, forwarded: unknown = value): ChatRequest {
  const wire = isUsualRequest(value) ? value : validated(value);
  const body = forwarded as WireObject;
  const invalid = [...infiniteFields(body), ...violationsBetweenFields(wire)];
  if (invalid.length > 0) throw invalidRequest(invalid);
  return {
    ...decodeRequestFields(wire),
    messages: wire.messages.map(decodeMessage),
    tools: wire.tools?.map(decodeTool) ?? [],
    toolChoice: decodeToolChoice(wire.tool_choice),
    parallelToolCalls: typeof wire['parallel_tool_calls'] === 'boolean' ? wire['parallel_tool_calls'] : undefined,
    answerFormat: decodeAnswerFormat(wire.response_format),
    maxTokens: wire.max_tokens ?? wire.max_completion_tokens ?? undefined,
    choices: wire.n ?? 1,
    logprobs: wire.logprobs ?? false,
    topLogprobs: wire.top_logprobs ?? undefined,
    hasUnsizedContent: hasUnsizedParts(body),
    priceOptions: decodePriceOptions(body),
    spending: spendingOf('chat-completions', body),
    wire: { format: 'chat-completions', body, bytes },
  };
}

function validated(value: unknown): WireChatRequest {
  const result = chatRequestSchema.safeParse(value);
  if (!result.success) throw invalidRequest(invalidFields(result.error));
  return result.data;
}

function violationsBetweenFields(wire: WireChatRequest): readonly InvalidField[] {
  const invalid: InvalidField[] = [];
  const tools = wire.tools ?? [];
  const choice = wire.tool_choice;
  if (choice === 'required' && tools.length === 0) {
    invalid.push({ path: ['tool_choice'], rule: 'must not be required when no tools are given' });
  }
  if (typeof choice === 'object' && choice && !tools.some((tool) => tool.function.name === choice.function.name)) {
    invalid.push({ path: ['tool_choice', 'function', 'name'], rule: 'must name a function listed in tools' });
  }
  if (typeof wire.top_logprobs === 'number' && wire.logprobs !== true) {
    invalid.push({ path: ['top_logprobs'], rule: 'requires logprobs to be true' });
  }
  return invalid;
}

function decodeTool(tool: WireTool): Tool {
  const { name, description, parameters, strict } = tool.function;
  return {
    name,
    description: description ?? undefined,
    parameters: parameters ?? undefined,
    strict: strict ?? undefined,
    ...cacheOf(tool.function),
    ...cacheOf(tool),
  };
}

function decodeToolChoice(choice: WireToolChoice | null | undefined): ToolChoice | undefined {
  if (typeof choice === 'object' && choice) return { name: choice.function.name };
  return choice ?? undefined;
}

function decodeAnswerFormat(format: WireChatRequest['response_format']): AnswerFormat | undefined {
  if (format?.type === 'json_object') return 'json';
  const jsonSchema = objectOf(objectOf(format)?.['json_schema']);
  const schema = objectOf(jsonSchema?.['schema']);
  if (format?.type !== 'json_schema' || !jsonSchema || !schema) return undefined;
  const { name, strict } = jsonSchema;
  return {
    name: typeof name === 'string' ? name : undefined,
    schema,
    strict: typeof strict === 'boolean' ? strict : undefined,
  };
}

/** Whether the bytes of any part do not bound its tokens. Images do not count: each has its own bound. */
function hasUnsizedParts(body: WireObject): boolean {
  return listOf(body.messages).some(
    // An earlier audio answer is only referenced by its id.
    (message) => isObject(message) && (isObject(message.audio) || listOf(message.content).some(isUnsized)),
  );
}

function isUnsized(part: unknown): boolean {
  if (!isObject(part)) return false;
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'image_url':
    // A second of audio has more bytes than tokens.
    case 'input_audio':
      return false;
    case 'file':
      return !isPlainText(objectOf(part.file)?.file_data);
    default:
      return true;
  }
}
