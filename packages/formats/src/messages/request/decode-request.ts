import type { AnswerFormat, ChatRequest, Effort, Tool, ToolChoice, ProviderTool } from '../../chat/chat-request.ts';
import type { Message } from '../../chat/message.ts';
import { fieldName, type FieldPath, validated } from '../../invalid-request.ts';
import { decodePriceOptions } from '../../priced-fields.ts';
import { spendingOf } from '../../spending.ts';
import { pricedBetas } from './priced-betas.ts';
import {
  integerFrom,
  objectOf,
  type WireObject,
  nonEmptyString,
  isObject,
  listOf,
  objectEntries,
  wordSet,
} from '../../wire-value.ts';
import { cacheOf } from '../../cache-control.ts';
import { decodeSystem, decodeTurn, markLast } from './decode-turn.ts';
import {
  countTokensSchema,
  messagesRequestSchema,
  type WireMessagesRequest,
  isOwnTool,
  type MessagesWireTool,
  type MessagesWireToolChoice,
} from './request-schema.ts';

/** The request as received, so that a provider of the same format gets it byte for byte. */
export interface MessagesSource {
  /** The body for the provider, if it differs from the parsed one: its large numbers keep all their digits. */
  readonly body?: unknown;
  readonly text: string;
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Fields that core does not have stay only in `wire`; `translate` finds them for a provider of another format. */
export function decodeMessagesRequest(value: unknown, source: MessagesSource): ChatRequest {
  return decodeWith(messagesRequestSchema, value, source);
}

/** The same for a token-counting request, which needs no cap. */
export function decodeCountTokensRequest(value: unknown, source: MessagesSource): ChatRequest {
  return decodeWith(countTokensSchema, value, source);
}

function decodeWith(
  schema: typeof messagesRequestSchema | typeof countTokensSchema,
  value: unknown,
  { body: forwarded = value, text, bytes, headers }: MessagesSource,
): ChatRequest {
  const wire: WireMessagesRequest = validated(schema, value, forwarded);
  const body = forwarded as WireObject;
  return {
    model: wire.model,
    messages: decodeMessages({ ...wire, messages: body.messages as WireMessagesRequest['messages'] }),
    tools: wire.tools?.filter(isOwnTool).map(decodeTool) ?? [],
    toolChoice: decodeToolChoice(wire.tool_choice),
    parallelToolCalls: wire.tool_choice?.disable_parallel_tool_use === true ? false : undefined,
    maxTokens: wire.max_tokens ?? undefined,
    choices: 1,
    stop: wire.stop_sequences?.filter((sequence) => sequence !== '') ?? [],
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    topK: wire.top_k ?? undefined,
    answerFormat: decodeAnswerFormat(wire),
    thinking: decodeThinking(wire.thinking?.type),
    thinkingBudget: wire.thinking?.type === 'enabled' ? (wire.thinking.budget_tokens ?? undefined) : undefined,
    effort: decodeEffort(wire.output_config?.effort),
    userId: wire.metadata?.user_id ?? undefined,
    logprobs: false,
    topLogprobs: undefined,
    wantsStream: wire.stream === true,
    providerTools: messagesProviderTools(body),
    hasUnsizedContent: hasUnsizedBlocks(body),
    priceOptions: decodePriceOptions(body, pricedBetas(headers)),
    spending: spendingOf('messages', body),
    wire: { format: 'messages', body, bytes, text, headers },
  };
}

function decodeMessages(wire: WireMessagesRequest): readonly Message[] {
  const { system } = wire;
  const hasSystem = system !== undefined && system !== null && system.length > 0;
  const messages = [...(hasSystem ? [decodeSystem(system)] : []), ...wire.messages.flatMap(decodeTurn)];
  const { cache } = cacheOf(wire);
  return cache === undefined ? messages : markLast(messages, cache);
}

function decodeTool(tool: MessagesWireTool): Tool {
  return {
    name: nonEmptyString(tool.name) ?? '',
    description: nonEmptyString(tool.description),
    parameters: objectOf(tool.input_schema),
    strict: typeof tool.strict === 'boolean' ? tool.strict : undefined,
    ...cacheOf(tool),
  };
}

function decodeToolChoice(choice: MessagesWireToolChoice | null | undefined): ToolChoice | undefined {
  switch (choice?.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return 'required';
    case 'tool':
      return { name: choice.name ?? '' };
    default:
      return undefined;
  }
}

/** The format has had two fields for it; the newer one takes precedence. */
function decodeAnswerFormat(wire: WireMessagesRequest): AnswerFormat | undefined {
  const format = objectOf(wire.output_config?.format) ?? objectOf(wire.output_format);
  const schema = objectOf(format?.schema);
  if (format?.type !== 'json_schema' || !schema) return undefined;
  return { name: undefined, schema, strict: undefined };
}

function decodeThinking(type: string | undefined): ChatRequest['thinking'] {
  if (type === 'disabled') return 'disabled';
  return type === 'enabled' || type === 'adaptive' ? 'enabled' : undefined;
}

function decodeEffort(effort: string | null | undefined): Effort | undefined {
  if (effort === 'xhigh' || effort === 'max') return 'max';
  return effort === 'low' || effort === 'medium' || effort === 'high' ? 'high' : undefined;
}

/** Some tools have a type of the provider but are run by the client; those are left out. */
function messagesProviderTools(body: WireObject): readonly ProviderTool[] {
  const tools = [...toolsIn(body)].flatMap(([tool, path]) => {
    if (isOwnTool(tool)) return [];
    const name = (nonEmptyString(tool.type) ?? '').replace(version, '');
    if (runByClients.has(name) || name.startsWith(toolSearch)) return [];
    // It costs what the model costs that it names.
    if (name === 'advisor' && nonEmptyString(tool.model) !== undefined) return [];
    return {
      name: name === 'mcp_toolset' ? 'mcp' : name,
      usesMax: integerFrom(0, tool.max_uses),
      field: fieldName(path),
    };
  });
  const servers = listOf(body.mcp_servers);
  const isNamed = servers.length === 0 || tools.some(({ name }) => name === 'mcp');
  return isNamed ? tools : [...tools, { name: 'mcp', usesMax: undefined, field: 'mcp_servers' }];
}

/** The tools of the request, and those that a message adds in the middle of the conversation. */
function* toolsIn(body: WireObject): Generator<readonly [WireObject, FieldPath]> {
  for (const [at, tool] of objectEntries(body.tools)) yield [tool, ['tools', at]];
  for (const [turn, { content }] of objectEntries(body.messages)) {
    for (const [at, block] of objectEntries(content)) {
      const path = ['messages', turn, 'content', at];
      yield* toolIn(block, path);
      for (const [index, change] of objectEntries(block.tool_changes)) {
        yield* toolIn(change, [...path, 'tool_changes', index]);
      }
    }
  }
}

function* toolIn(change: WireObject, path: FieldPath): Generator<readonly [WireObject, FieldPath]> {
  const tool = objectOf(objectOf(change.tool)?.definition);
  if (tool) yield [tool, [...path, 'tool', 'definition']];
}

/** Types end in the date of their version. */
const version = /_\d{8}$/;

const runByClients: ReadonlySet<string> = new Set(['bash', 'computer', 'memory', 'text_editor']);

/** Searches the tools of the same request, whose size bounds its cost. No provider charges for it. */
const toolSearch = 'tool_search_tool';

/** Whether the bytes of any block do not bound its tokens. Images do not count: each has its own bound. */
function hasUnsizedBlocks(body: WireObject): boolean {
  return listOf(body.messages).some((message) => isObject(message) && listOf(message.content).some(isUnsized));
}

function isUnsized(block: unknown): boolean {
  if (!isObject(block)) return false;
  const source = objectOf(block.source) ?? {};
  switch (block.type) {
    case 'image':
      return source.type !== 'base64' && source.type !== 'url';
    case 'document':
      return !isPlainText(source);
    case 'tool_result':
      return listOf(block.content).some(isUnsized);
    default:
      return !completeBlocks.has(block.type);
  }
}

function isPlainText(source: WireObject): boolean {
  if (source.type === 'content') {
    return listOf(source.content).every((block) => isObject(block) && block.type === 'text');
  }
  return source.type === 'text' || (source.type === 'base64' && source.media_type === 'text/plain');
}

/** Blocks whose complete content is in the body. */
const completeBlocks: ReadonlySet<unknown> = wordSet(`
  text thinking redacted_thinking tool_use tool_reference server_tool_use search_result
`);
