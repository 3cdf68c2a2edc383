import type { Caller } from '../../core/caller.ts';
import type { ChatRequest } from '../../core/chat/chat-request.ts';
import type { StreamEvent } from '../../core/chat/stream-event.ts';
import { encodeResponsesUsage } from '../../dialects/responses/answer/usage.ts';
import { comment } from '../../dialects/responses/answer/event-log.ts';
import { isObject } from '../../dialects/wire-value.ts';
import type { JsonBody } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import type { AnswerEncoder } from '../answer-stream.ts';
import { bearerSecret } from '../caller.ts';
import { type AnswerHead, type ConversationFormat, converse, type ReplyHead } from '../conversation.ts';
import { itemsOf, ResponseConversation } from './response-conversation.ts';
import type { ResponsesParts } from './responses.ts';
import { compactItems, wantsSummary } from './summary.ts';

/** `POST /v1/responses/compact`: a compacted conversation that the client can continue. */
export function compaction(parts: ResponsesParts): Route {
  const { clock, inference, storage } = parts;
  const catalog = () => inference.current().catalog;
  return {
    method: 'POST',
    path: '/v1/responses/compact',
    handle: (exchange) =>
      converse(parts, new Compaction(new ResponseConversation({ clock, storage, catalog })), exchange),
  };
}

/** One request for a summary. The answer is one body: the user's messages, and a sealed summary of the rest. */
class Compaction implements ConversationFormat {
  readonly surface = 'openai-response';
  readonly secret = bearerSecret;
  readonly keepAlive = comment;
  readonly #conversation: ResponseConversation;

  constructor(conversation: ResponseConversation) {
    this.#conversation = conversation;
  }

  /** Equals a request that ends with a `compaction_trigger` item, but has another answer format and is never stored. */
  resolve(body: JsonBody, caller: Caller): Promise<JsonBody> {
    if (!isObject(body.value)) return Promise.resolve(body);
    const items = itemsOf(body.value.input);
    const input = wantsSummary(items) ? items : [...items, { type: 'compaction_trigger' }];
    return this.#conversation.resolve(
      { ...body, value: { ...body.value, input, store: false, stream: false } },
      caller,
    );
  }

  decode(body: JsonBody): ChatRequest {
    return this.#conversation.decode(body);
  }

  repliesWithJson(): boolean {
    return true;
  }

  encoder(about: AnswerHead): AnswerEncoder {
    return this.#conversation.encoder(about);
  }

  encodeJson(events: readonly StreamEvent[], { id, created, request }: AnswerHead): string {
    const item = this.#conversation.summaryOf(events, { id, model: request.model });
    const usage = events.findLast((event) => event.type === 'usage')?.usage;
    return JSON.stringify({
      id: `resp_${id}`,
      object: 'response.compaction',
      created_at: created,
      output: compactItems(this.#conversation.compacted ?? [], item),
      usage: usage ? encodeResponsesUsage(usage) : null,
    });
  }

  errorFrame(error: unknown, requestId: string, supportEmail: string | undefined, about: ReplyHead): string {
    return this.#conversation.errorFrame(error, requestId, supportEmail, about);
  }
}
