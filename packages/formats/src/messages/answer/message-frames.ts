import { type Usage, unreportedUsage } from '../../chat/usage.ts';
import { encodeMessagesUsage } from './usage.ts';
import type { FinishReason } from '../../chat/stream-event.ts';
import type { FinishEvent } from '../../chat-completions/answer/stream-encoder.ts';

export interface MessagesEncoding {
  readonly id: string;
  /** The catalog id of the model that answers. */
  readonly model: string;
  /** The estimated prompt length, for answers that begin before their provider has counted it. */
  readonly promptTokens: number | undefined;
  /** Whether the last usage will have the charge. Then the end of a provider's frames is held back until it is known. */
  readonly reportsCost?: boolean;
}

/** Sent while there is no content, so that proxies and clients keep the connection open. */
export const pingFrame = frame('ping', '{"type":"ping"}');

export const messageStopFrame = frame('message_stop', '{"type":"message_stop"}');

/** Fields that the format calls optional are left out: clients that check answers may not accept `null` there. */
export function emptyMessage({ id, model }: MessagesEncoding) {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

export function messageStartFrame(encoding: MessagesEncoding, usage: Usage | undefined): string {
  const { promptTokens = 0 } = encoding;
  const usageAtStart = usage ?? { ...unreportedUsage, promptTokens, completionTokens: 0, source: 'counted' as const };
  const message = { ...emptyMessage(encoding), usage: encodeMessagesUsage(usageAtStart) };
  return frame('message_start', JSON.stringify({ type: 'message_start', message }));
}

export function messageDeltaFrame(stopReason: string, stopSequence: string | undefined, usage: Usage): string {
  const delta = { stop_reason: stopReason, stop_sequence: stopSequence ?? null };
  const event = { type: 'message_delta', delta, usage: encodeMessagesUsage(usage) };
  return frame('message_delta', JSON.stringify(event));
}

export function blockStartFrame(index: number, block: object): string {
  const event = { type: 'content_block_start', index, content_block: block };
  return frame('content_block_start', JSON.stringify(event));
}

export function blockStopFrame(index: number): string {
  return frame('content_block_stop', `{"type":"content_block_stop","index":${index}}`);
}

/** The part of a delta's frame before its only value, a JSON string; `deltaEnd` follows the value. */
export function deltaOpening(index: number, type: string, field: string): string {
  const head = `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index}`;
  return `${head},"delta":{"type":"${type}","${field}":`;
}

export const deltaEnd = '}}\n\n';

function frame(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}

/** The last frame of an answer that failed after it began. No other frame may follow it. */
export function encodeMessagesErrorFrame(
  error: { readonly code: string; readonly type: string; readonly message: string },
  requestId: string,
): string {
  const { type, code, message } = error;
  const data = { type: 'error', error: { type, code, message }, request_id: requestId };
  return `event: error\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The meaning of the format's stop reason; `other` if it is unknown or has no equivalent in other formats. */
export function decodeStopReason(raw: string): FinishReason {
  return meanings.get(raw) ?? 'other';
}

const meanings: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>(
  Object.entries({
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    model_context_window_exceeded: 'length',
    tool_use: 'tool-calls',
    refusal: 'content-filter',
  }),
);

/** Clients run tool calls depending on the stop reason, so it agrees with the calls, not with the provider. */
export function encodeStopReason(finish: FinishEvent, hasCalledTools: boolean): string {
  const { reason, raw, stopSequence } = finish;
  if (reason === 'length') return 'max_tokens';
  if (reason === 'content-filter') return 'refusal';
  if (reason === 'other' && raw === 'pause_turn') return raw;
  if (hasCalledTools) return 'tool_use';
  return stopSequence === undefined ? 'end_turn' : 'stop_sequence';
}
