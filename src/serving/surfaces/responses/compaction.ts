import type { Caller } from '../../../core/caller.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { encodeResponsesUsage } from 'chat-formats/responses/answer/usage.ts';
import { isObject, type WireObject } from 'chat-formats/wire-value.ts';
import type { JsonBody } from '../../http/exchange.ts';
import type { Route } from '../../http/route.ts';
import { type AnswerHead, converse } from '../conversation.ts';
import { itemsOf, ResponseConversation } from './response-conversation.ts';
import type { ResponsesParts } from './responses.ts';
import { named } from './stored-content.ts';
import { compactItems, wantsSummary } from './summary.ts';

/** `POST /v1/responses/compact`: a compacted conversation that the client can continue. */
export function compaction(parts: ResponsesParts): Route {
  return {
    method: 'POST',
    path: '/v1/responses/compact',
    handle: (exchange) => converse(parts, new Compaction(parts), exchange),
  };
}

/** One request for a summary. The answer is one body: the user's messages, and a sealed summary of the rest. */
class Compaction extends ResponseConversation {
  /** Equals a request that ends with a `compaction_trigger` item, but has another answer format and is never stored. */
  override resolve(body: JsonBody, caller: Caller): Promise<JsonBody> {
    if (!isObject(body.value)) return Promise.resolve(body);
    const items = itemsOf(body.value.input);
    const input = wantsSummary(items) ? items : [...items, { type: 'compaction_trigger' }];
    return super.resolve({ ...body, value: { ...body.value, input, store: false, stream: false } }, caller);
  }

  override repliesWithJson(): boolean {
    return true;
  }

  override async encodeJson(events: readonly StreamEvent[], { id, created, request }: AnswerHead): Promise<string> {
    const item = this.summaryOf(events, { id, model: request.model });
    const usage = events.findLast((event) => event.type === 'usage')?.usage;
    const responseId = `resp_${id}`;
    return JSON.stringify({
      id: responseId,
      object: 'response.compaction',
      created_at: created,
      output: compactItems(named(this.compacted ?? [], responseId), item).map(shownItem),
      usage: usage ? encodeResponsesUsage(usage) : null,
    });
  }
}

/** Messages of the user have all fields of an item: clients may have sent only a role and a text. */
function shownItem({ type, content, ...item }: WireObject): WireObject {
  if (type !== 'message') return { type, ...item };
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  return { type, status: 'completed', ...item, content: parts };
}
