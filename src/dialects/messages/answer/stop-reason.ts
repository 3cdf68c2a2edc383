import type { FinishReason } from '../../../core/chat/stream-event.ts';
import type { FinishEvent } from '../../chat-completions/answer/stream-encoder.ts';

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
