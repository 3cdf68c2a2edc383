import type { AnswerFormat, ChatRequest } from '../../chat/chat-request.ts';
import type { Message } from '../../chat/message.ts';
import { efforts } from '../../effort.ts';
import { makeAnswerable } from '../../answerable.ts';
import { invalidRequest, type InvalidField, validated } from '../../invalid-request.ts';
import { isPlainText } from '../../media.ts';
import { decodePriceOptions } from '../../priced-fields.ts';
import { spendingOf } from '../../spending.ts';
import { isObject, listOf, objectOf, type WireObject, nonEmptyString, objectEntries } from '../../wire-value.ts';
import { conversationOf } from './conversation.ts';
import { declaredTools } from './declared-tools.ts';
import { responsesProviderTools } from './provider-tools.ts';
import { decodeItem, type ItemDecoding, type DecodedPiece } from './decode-item.ts';
import { decodeToolChoice } from './decode-tool-choice.ts';
import { responsesRequestSchema, type WireResponsesRequest } from './request-schema.ts';
import type { Unseal } from '../reasoning-item.ts';

interface ResponsesSource {
  /** The body to send to the provider, if it differs: its numbers keep digits that a JavaScript number cannot hold. */
  readonly body?: unknown;
  readonly bytes: number;
  /** Opens sealed reasoning that earlier answers of this gateway gave to the client. */
  readonly unseal?: Unseal;
}

/** The caller must have resolved references to stored responses. Fields that core lacks stay only in `wire`. */
export function decodeResponsesRequest(value: unknown, source: ResponsesSource): ChatRequest {
  const { body: forwarded = value, bytes, unseal = unsealNothing } = source;
  const wire = validated(responsesRequestSchema, value, forwarded);
  const body = forwarded as WireObject;
  refuseImpossible(body);
  const declared = declaredTools(value as WireObject);
  const { tools, toolChoice, forced } = decodeToolChoice(wire.tool_choice, declared);
  return {
    model: wire.model,
    messages: decodeMessages({ ...wire, input: body.input as typeof wire.input }, { names: declared.names, unseal }),
    tools,
    toolChoice,
    parallelToolCalls: wire.parallel_tool_calls === false && tools.length > 0 ? false : undefined,
    maxTokens: wire.max_output_tokens ?? undefined,
    choices: 1,
    stop: [],
    temperature: wire.temperature ?? undefined,
    topP: wire.top_p ?? undefined,
    topK: undefined,
    answerFormat: decodeAnswerFormat(wire.text?.format),
    thinking: wire.reasoning?.effort === 'none' ? 'disabled' : undefined,
    thinkingBudget: undefined,
    effort: efforts.get(wire.reasoning?.effort),
    userId: nonEmptyString(wire.safety_identifier) ?? nonEmptyString(wire['user']),
    logprobs: (wire.top_logprobs ?? 0) > 0 || (wire.include ?? []).includes('message.output_text.logprobs'),
    topLogprobs: wire.top_logprobs ?? undefined,
    wantsStream: wire.stream === true,
    providerTools: responsesProviderTools(body, declared, forced),
    hasUnsizedContent: hasUnsizedItems(body),
    priceOptions: decodePriceOptions(body),
    spending: spendingOf('responses', body),
    wire: { format: 'responses', body, bytes },
  };
}

const unsealNothing: Unseal = () => undefined;

function decodeMessages(wire: WireResponsesRequest, decoding: ItemDecoding): readonly Message[] {
  const pieces: DecodedPiece[] = [];
  const instructions = nonEmptyString(wire.instructions);
  if (instructions !== undefined) pieces.push({ kind: 'system', content: [{ type: 'text', text: instructions }] });
  if (typeof wire.input === 'string') pieces.push({ kind: 'user', content: [{ type: 'text', text: wire.input }] });
  for (const item of listOf(wire.input).filter(isObject)) {
    const piece = decodeItem(item, decoding);
    if (piece) pieces.push(piece);
  }
  const messages = conversationOf(pieces);
  // Clients test a model without any input.
  return messages.some(({ role }) => role !== 'system') ? messages : makeAnswerable(messages);
}

function decodeAnswerFormat(format: unknown): AnswerFormat | undefined {
  const wire = objectOf(format);
  if (wire?.type === 'json_object') return 'json';
  if (wire?.type !== 'json_schema') return undefined;
  const schema = objectOf(wire.schema);
  if (!schema)
    throw invalidRequest([{ path: ['text', 'format', 'schema'], rule: 'is required and must be an object' }]);
  return {
    name: nonEmptyString(wire.name),
    schema,
    strict: typeof wire.strict === 'boolean' ? wire.strict : undefined,
  };
}

/** Features that only the vendor of the format has, and what to do instead. */
const impossible: Readonly<Record<string, string>> = {
  prompt: 'names a prompt that is not stored here: send its text as instructions and input',
  conversation:
    'names a conversation that is not stored here: use previous_response_id, or send the whole conversation as input',
  moderation: 'is not available here: leave it out',
};

/** Throws if a request uses a feature that is not available here and that would change the answer if dropped. */
function refuseImpossible(body: WireObject): void {
  const invalid: InvalidField[] = Object.entries(impossible).flatMap(([name, rule]) =>
    body[name] === undefined || body[name] === null ? [] : [{ path: [name], rule }],
  );
  if (body.background === true && body.store === false)
    invalid.push({ path: ['background'], rule: 'must not be true with store: false: the response has to be stored' });
  for (const [at, item] of objectEntries(body.input)) invalid.push(...inItem(item, at));
  if (invalid.length > 0) throw invalidRequest(invalid);
}

function inItem(item: WireObject, at: number): readonly InvalidField[] {
  if (item.type === 'compaction_trigger') {
    return [{ path: ['input', at], rule: 'requests a compaction, which only the last item may do' }];
  }
  return item.type === 'item_reference'
    ? [{ path: ['input', at], rule: 'refers to an item that is not stored here: send the item itself' }]
    : [];
}

/** Whether the bytes of any part do not bound its tokens. Images do not count: each has its own bound. */
function hasUnsizedItems(body: WireObject): boolean {
  const items = listOf(body.input).filter(isObject);
  return items.some(({ content, output }) => [...listOf(content), ...listOf(output)].some(isUnsized));
}

function isUnsized(part: unknown): boolean {
  if (!isObject(part)) return false;
  switch (part.type) {
    case 'input_image':
      return nonEmptyString(part.image_url) === undefined;
    case 'input_file':
      return !isPlainText(part.file_data);
    // Audio has more bytes than tokens, unless it is at a URL.
    case 'input_audio':
      return nonEmptyString(part.audio_url)?.startsWith('http') === true;
    default:
      return false;
  }
}
