import type { FinishReason, StreamEvent } from '../../../core/chat/stream-event.ts';

type FinishEvent = Extract<StreamEvent, { type: 'finish' }>;

/** The meaning of the format's stop reason; `other` if it is unknown or has no equivalent in other formats. */
export function decodeStopReason(raw: string): FinishReason {
  return meanings.get(raw) ?? 'other';
}

const meanings: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'content-filter'],
]);

/** Clients run tool calls depending on the stop reason, so it agrees with the calls, not with the provider. */
export function encodeStopReason(finish: FinishEvent, hasCalledTools: boolean): string {
  switch (finish.reason) {
    case 'length':
      return 'max_tokens';
    case 'content-filter':
      return 'refusal';
    case 'other':
      if (finish.raw === 'pause_turn') return finish.raw;
      break;
    case 'stop':
    case 'tool-calls':
      break;
    default:
      finish.reason satisfies never;
  }
  if (hasCalledTools) return 'tool_use';
  return finish.stopSequence === undefined ? 'end_turn' : 'stop_sequence';
}
