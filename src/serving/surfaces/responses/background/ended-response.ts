import type { LineRow } from '../../../../work/batches/batch-rows.ts';
import type { EndedResponse } from '../../../../work/batches/output-files.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { backgroundOpening, type EventCode } from 'chat-formats/responses/answer/event-log.ts';
import type { ResponseFailure } from 'chat-formats/responses/encode-stream.ts';
import { encodeResponsesUsage } from 'chat-formats/responses/answer/usage.ts';
import { listOf, isObject, type WireObject } from 'chat-formats/wire-value.ts';
import type { StoredContent } from '../stored-content.ts';
import { keptResponseIn } from './background-conversation.ts';

/** The response that is stored: what its last attempt kept, with its status, its error and their events. */
export function endedContent(ended: EndedResponse, begun: StoredContent): StoredContent {
  const { batch, line, body } = ended;
  const kept = body === undefined ? undefined : keptResponseIn(body);
  const content = kept?.content ?? begun;
  const { opening } = begun;
  if (line.state === 'succeeded' && kept?.failure === undefined) return { ...content, opening };
  const failure = batch.cancelling_at === null ? (kept?.failure ?? failureOf(line)) : undefined;
  return { ...withEnd(content, failure, line), opening, isCut: line.state === 'interrupted' };
}

/** A response that ended with this failure, or was cancelled. */
export function withEnd(content: StoredContent, failure: ResponseFailure | undefined, line: LineRow): StoredContent {
  const { input, response, score = backgroundOpening } = content;
  const error = failure && { code: failure.code, message: failure.message };
  const errorEvent: EventCode[] = failure
    ? [{ type: 'error', error: { type: failure.type, ...error, param: null } }]
    : [];
  const output = listOf(response['output']).filter(isObject).map(endedItem);
  const status = failure ? 'failed' : 'cancelled';
  const ended = { ...response, status, completed_at: null, error: error ?? null, output, usage: chargedUsage(line) };
  return { input, response: ended, score: [...score, ...errorEvent, 'z'] };
}

function endedItem(item: WireObject): WireObject {
  return item['status'] === 'in_progress' ? { ...item, status: 'incomplete' } : item;
}

/** The usage that was charged; null if nothing was. */
function chargedUsage(line: LineRow): WireObject | null {
  if (line.status === null || BigInt(line.cost ?? 0) === 0n) return null;
  return encodeResponsesUsage({
    ...unreportedUsage,
    promptTokens: line.input_tokens ?? 0,
    completionTokens: line.output_tokens ?? 0,
    cachedTokens: line.cached_tokens ?? undefined,
    // The format does not name the lifetime.
    cacheWrite5mTokens: line.cache_write_tokens ?? undefined,
    reasoningTokens: line.reasoning_tokens ?? undefined,
    source: 'upstream',
  });
}

function failureOf({ state, cost }: LineRow): ResponseFailure {
  const type = 'gateway_error';
  if (state === 'expired') {
    const message = 'No provider had capacity for this response before its time was over. Nothing was charged.';
    return { code: 'server_error', type, message };
  }
  const charge = BigInt(cost ?? 0) > 0n ? 'The part until then was charged.' : 'Nothing was charged.';
  const message = `The gateway process that generated this response ended before it was complete. ${charge} It is not generated again, because events of it were charged or sent. Create a new response.`;
  return { code: 'server_error', type, message };
}
