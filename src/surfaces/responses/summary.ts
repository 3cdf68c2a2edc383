import { GatewayError } from '../../core/gateway-error.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import type { Seal } from '../../dialects/responses/reasoning-item.ts';
import { isObject, listOf, type WireObject } from '../../dialects/wire-value.ts';

/** Of what the user said, the newest so many characters stay as they are. */
const keptCharactersMax = 80_000;

const summarise =
  'Summarise this conversation for whoever goes on with it and cannot read it. Say what the user wants, what was decided and why, what was done and found with names, paths, commands and figures as they are, what failed, and what is left to do. Write the summary and nothing else.';

/** A request for a summary in place of one for an answer: the same conversation, and nothing to call or to fill in. */
export function askForSummary(body: WireObject, input: readonly unknown[]): WireObject {
  const { tools: _tools, tool_choice: _choice, text: _text, ...value } = body;
  return { ...value, input: [...input, { type: 'message', role: 'user', content: summarise }] };
}

/** What the asking adds to a body. */
export const summariseBytes = summarise.length;

/** Whether a conversation is to be made short instead of gone on with: its last item says so. */
export function wantsSummary(input: readonly unknown[]): boolean {
  const last = input.at(-1);
  return isObject(last) && last.type === 'compaction_trigger';
}

/** The words of an answer, whatever was thought or called beside them. */
export function wordsOf(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' && event.choice === 0 ? event.text : '')).join('');
}

/** The item that stands for a conversation: its summary, for nobody but the gateway to read. Without one, nothing would be left. */
export function summaryItem(id: string, text: string, seal: Seal): WireObject {
  const sealed = text.trim() === '' ? undefined : seal([{ type: 'reasoning', text }]);
  if (sealed === undefined) {
    throw new GatewayError('upstream-failed', { cause: new Error('the summary is empty, or cannot be sealed') });
  }
  return { id: `cmp_${id}_0`, type: 'compaction', encrypted_content: sealed };
}

/** What a conversation is gone on from once it is made short: the newest of what the user said, and the summary. */
export function shortened(conversation: readonly unknown[], summary: WireObject): readonly WireObject[] {
  return [...newest(listOf(conversation).filter(isObject).filter(isOfUser)), summary];
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
