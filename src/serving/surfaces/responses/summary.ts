import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import type { Seal } from 'chat-formats/responses/reasoning-item.ts';
import { isObject, listOf, type WireObject } from 'chat-formats/wire-value.ts';

/** Maximum characters of the newest user messages that stay in full. */
const keptCharactersMax = 80_000;

const summarise =
  'Summarise this conversation for an assistant that continues it and cannot read it. Say what the user wants, what was decided and why, what was done and found with names, paths, commands and figures as they are, what failed, and what is left to do. Write the summary and nothing else.';

/** Replaces a request by one for a summary of its conversation, without tools and text format. */
export function askForSummary(body: WireObject, input: readonly unknown[]): WireObject {
  const { tools: _tools, tool_choice: _choice, text: _text, ...value } = body;
  return { ...value, input: [...input, { type: 'message', role: 'user', content: summarise }] };
}

export const summariseBytes = summarise.length;

export function wantsSummary(input: readonly unknown[]): boolean {
  const last = input.at(-1);
  return isObject(last) && last.type === 'compaction_trigger';
}

export function textOf(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' && event.choice === 0 ? event.text : '')).join('');
}

/** Readable only by the gateway. Throws if the summary is empty, because nothing would be left. */
export function summaryItem(id: string, text: string, seal: Seal): WireObject {
  const sealed = text.trim() === '' ? undefined : seal([{ type: 'reasoning', text }]);
  if (sealed === undefined) {
    throw new GatewayError('upstream-failed', { cause: new Error('the summary is empty, or cannot be sealed') });
  }
  return { id: `cmp_${id}_0`, type: 'compaction', encrypted_content: sealed };
}

export function compactItems(conversation: readonly unknown[], summary: WireObject): readonly WireObject[] {
  return [...newest(listOf(conversation).filter(isObject).filter(isOfUser)), summary];
}

function isOfUser(item: WireObject): boolean {
  return item['role'] === 'user' && (item['type'] ?? 'message') === 'message';
}

/** The newest messages within the limit, oldest first. */
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
