import type { ChatRequest, Wire, Tool } from '../../chat/chat-request.ts';
import type { PromptCache } from '../../chat/model.ts';
import { appendMember, type Replacement, spliceMembers } from '../../json/json-splice.ts';
import { levelMembers, unpricedText } from '../../priced-fields.ts';
import { type RequestEncoding, translate } from '../../translate.ts';
import { listOf, type WireObject } from '../../wire-value.ts';
import { markSplices } from './cache-marks.ts';
import { encodeThinking } from './encode-thinking.ts';
import { encodeTurns, limitMarks, type WireBlock, mark } from './encode-turns.ts';

export interface MessagesRequestEncoding extends RequestEncoding {
  /** The model's cap, for clients that set none: the format requires one. */
  readonly maxOutputTokens: number | undefined;
  /** How reasoning is requested: with a token budget, with the model deciding, or not at all. */
  readonly thinkingStyle: 'budget' | 'adaptive' | 'none';
  /** Whether the gateway sets cache markers for clients that set none. */
  readonly cache?: PromptCache | undefined;
}

/** The maximum of the format. */
export const messagesTemperatureMax = 1;

/** The cap if neither the client nor the model's configuration has one. */
const defaultMaxTokens = 32_000;

/**
 * The body for a provider's messages endpoint. For a client of the same format it is the client's text. Only the
 * model's name, a lowered cap and cache markers are inserted, and fields that select another price are removed. Every
 * other request is built from core and always streams. For prompt caches, fields that change between turns come last,
 * and the same request always gives the same text.
 */
export function encodeMessagesRequest(request: ChatRequest, encoding: MessagesRequestEncoding): string {
  if (request.wire.format === 'messages') return clientText(request, encoding);
  const { temperature } = translate(request, { ...encoding, temperatureMax: messagesTemperatureMax });
  const maxTokens = encoding.maxTokens ?? encoding.maxOutputTokens ?? defaultMaxTokens;
  const prompt = encodePrompt(request);
  const { thinking, effort } = encodeThinking(
    { ...request, temperature },
    { ...encoding, maxTokens, turns: prompt.messages },
  );
  const text = JSON.stringify({
    model: encoding.model,
    max_tokens: maxTokens,
    stream: true,
    temperature,
    top_p: request.topP,
    top_k: request.topK,
    stop_sequences: request.stop.length > 0 ? request.stop : undefined,
    thinking,
    output_config: outputConfig(request, effort),
    metadata: request.userId === undefined ? undefined : { user_id: request.userId },
    ...Object.fromEntries(levelMembers(request)),
    ...prompt,
  });
  return encoding.cache === 'auto' ? spliceMembers(text, markSplices({ ...prompt })) : text;
}

export function encodeCountTokens(request: ChatRequest, { model }: { readonly model: string }): string {
  if (request.wire.format === 'messages') return clientText(request, { model, maxTokens: undefined });
  translate(request, { temperatureMax: messagesTemperatureMax });
  return JSON.stringify({ model, ...encodePrompt(request) });
}

function clientText(
  request: ChatRequest,
  encoding: Pick<MessagesRequestEncoding, 'model' | 'maxTokens' | 'cache'>,
): string {
  const { body, text = JSON.stringify(body) } = clientWire(request);
  const { maxTokens, cache } = encoding;
  const values = new Map<string, Replacement>(cache === 'auto' ? markSplices(body) : []);
  values.set('model', JSON.stringify(encoding.model));
  if (maxTokens !== undefined && maxTokens !== body.max_tokens) values.set('max_tokens', String(maxTokens));
  return levelMembers(request).reduce(
    (spliced, [name, value]) => appendMember(spliced, name, JSON.stringify(value)),
    spliceMembers(unpricedText(text, body), values),
  );
}

/** The client's body and text. If re-prompt messages were added, the body is serialised again. */
function clientWire({ wire, further = [] }: ChatRequest): Pick<Wire, 'body' | 'text'> {
  if (further.length === 0) return wire;
  const messages = [...listOf(wire.body['messages']), ...encodeTurns(further).messages];
  return { body: { ...wire.body, messages } };
}

/** The prompt, in the order in which providers cache it. */
function encodePrompt(request: ChatRequest) {
  const tools = request.tools.map(encodeTool);
  const { system: instructions, messages } = encodeTurns(request.messages);
  const system = request.answerFormat === 'json' ? [...instructions, jsonInstruction] : instructions;
  limitMarks([...tools, ...system, ...messages.flatMap(({ content }) => content)]);
  return {
    tool_choice: encodeToolChoice(request),
    tools: tools.length > 0 ? tools : undefined,
    system: system.length > 0 ? system : undefined,
    messages,
  };
}

/** The format supports a JSON schema, but not a request for any JSON. */
const jsonInstruction: WireBlock = {
  type: 'text',
  text: 'Answer with a single valid JSON object and nothing else: no code fence, no words around it.',
};

function outputConfig({ answerFormat }: ChatRequest, effort: string | undefined): WireObject | undefined {
  const schema = typeof answerFormat === 'object' ? answerFormat.schema : undefined;
  if (effort === undefined && !schema) return undefined;
  return { effort, format: schema && { type: 'json_schema', schema } };
}

function encodeTool({ name, description, parameters = {}, strict, cache }: Tool): WireBlock {
  // The format requires a schema with a type.
  const schema = Object.hasOwn(parameters, 'type') ? parameters : { type: 'object', ...parameters };
  return { name, description, input_schema: schema, strict: strict === true || undefined, ...mark(cache) };
}

/** Also whether calls may be parallel. Without tools, the format allows no choice. */
function encodeToolChoice({ tools, toolChoice, parallelToolCalls }: ChatRequest): WireObject | undefined {
  if (tools.length === 0) return undefined;
  if (toolChoice === 'none') return { type: 'none' };
  const single = parallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (toolChoice === undefined) return parallelToolCalls === false ? { type: 'auto', ...single } : undefined;
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...single };
  return { type: toolChoice === 'required' ? 'any' : 'auto', ...single };
}
