import type { Caller } from '../../core/caller.ts';
import type { ChatRequest } from '../../core/chat-request.ts';
import { GatewayError } from '../../core/gateway-error.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import { encodeResponsesUsage } from '../../dialects/responses/encode-usage.ts';
import { isObject, listOf, type WireObject } from '../../dialects/wire-value.ts';
import type { JsonBody } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import type { AnswerEncoder } from '../answer-stream.ts';
import { bearerSecret } from '../caller.ts';
import { type AnswerHead, type ConversationFormat, converse, type ReplyHead } from '../conversation.ts';
import { ResponseConversation } from './response-conversation.ts';
import { keepsNothing, type ResponseKeeping } from './response-keeping.ts';
import type { ResponsesParts } from './responses.ts';

/** Of what the user said, the newest so many characters stay as they are. */
const keptCharactersMax = 80_000;

const summarise =
  'Summarise this conversation for whoever goes on with it and cannot read it. Say what the user wants, what was decided and why, what was done and found with names, paths, commands and figures as they are, what failed, and what is left to do. Write the summary and nothing else.';

/** `POST /v1/responses/compact`: a conversation made short, for its client to go on from. */
export function compaction(parts: ResponsesParts): Route {
  const { clock, inference, keeping = keepsNothing } = parts;
  const catalog = () => inference.current().catalog;
  return {
    method: 'POST',
    path: '/v1/responses/compact',
    handle: (exchange) =>
      converse(parts, new Compaction(new ResponseConversation({ clock, keeping, catalog }), keeping), exchange),
  };
}

/** One request for a summary, answered as one body: what the user said, and the rest of the conversation sealed. */
class Compaction implements ConversationFormat {
  readonly surface = 'openai-response';
  readonly secret = bearerSecret;
  readonly keepAlive = ': keep-alive\n\n';
  readonly #conversation: ResponseConversation;
  readonly #keeping: ResponseKeeping;
  #caller: Caller | undefined;
  #input: readonly WireObject[] = [];

  constructor(conversation: ResponseConversation, keeping: ResponseKeeping) {
    this.#conversation = conversation;
    this.#keeping = keeping;
  }

  async resolve(body: JsonBody, caller: Caller): Promise<JsonBody> {
    this.#caller = caller;
    if (!isObject(body.value)) return body;
    const asked = { ...body.value, store: false, stream: false };
    const resolved = await this.#conversation.resolve({ ...body, value: asked }, caller);
    const { tools: _tools, tool_choice: _choice, text: _text, ...value } = resolved.value as WireObject;
    this.#input = itemsOf(value['input']);
    const input = [...this.#input, { type: 'message', role: 'user', content: summarise }];
    return { ...resolved, bytes: resolved.bytes + summarise.length, value: { ...value, input } };
  }

  decode(body: JsonBody): ChatRequest {
    return this.#conversation.decode(body);
  }

  answersWhole(): boolean {
    return true;
  }

  encoder(about: AnswerHead): AnswerEncoder {
    return this.#conversation.encoder(about);
  }

  encodeWhole(events: readonly StreamEvent[], { id, created, answer }: AnswerHead): string {
    const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
    const owner = { accountId: this.#caller?.key.accountId ?? '', model: answer.model };
    const sealed = text === '' ? undefined : this.#keeping.seal([{ type: 'reasoning', text }], owner);
    if (sealed === undefined) {
      throw new GatewayError('upstream-failed', { cause: new Error('the summary is empty, or cannot be sealed') });
    }
    const item = { id: `cmp_${id}_0`, type: 'compaction', encrypted_content: sealed };
    const usage = events.findLast((event) => event.type === 'usage')?.usage;
    return JSON.stringify({
      id: `resp_${id}`,
      object: 'response.compaction',
      created_at: created,
      output: [...newest(this.#input.filter(isOfUser)), item],
      usage: usage ? encodeResponsesUsage(usage) : null,
    });
  }

  errorFrame(error: unknown, requestId: string, supportEmail: string | undefined, about: ReplyHead): string {
    return this.#conversation.errorFrame(error, requestId, supportEmail, about);
  }
}

function itemsOf(input: unknown): readonly WireObject[] {
  if (typeof input === 'string')
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  return listOf(input).filter(isObject);
}

function isOfUser(item: WireObject): boolean {
  return item['role'] === 'user' && (item['type'] ?? 'message') === 'message';
}

/** The newest messages that fit, oldest first. */
function newest(messages: readonly WireObject[]): readonly WireObject[] {
  let left = keptCharactersMax;
  const kept: WireObject[] = [];
  for (const message of messages.toReversed()) {
    left -= JSON.stringify(message).length;
    if (left < 0) break;
    kept.unshift({ type: 'message', ...message });
  }
  return kept;
}
