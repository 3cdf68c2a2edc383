import type { FinishReason } from '../../chat/stream-event.ts';
import { wordSet } from '../../wire-value.ts';

/** The meaning of a provider's finish reason; `other` if it is unknown. */
export function decodeFinishReason(raw: string): FinishReason {
  return meanings.get(raw.toLowerCase()) ?? 'other';
}

/** Whether the finish reason means that the provider aborted the answer. Such an answer must not look complete. */
export function isAborted(raw: string): boolean {
  return abortedReasons.has(raw.toLowerCase());
}

const abortedReasons = wordSet('error abort insufficient_system_resource network_error');

/** The contract's reason, or else the provider's. After a normal end it depends on whether tools were called. */
export function encodeFinishReason(finish: { reason: FinishReason; raw: string }, hasCalledTools: boolean): string {
  if (finish.reason === 'other') return finish.raw;
  return encodedReasons[finish.reason] ?? (hasCalledTools ? 'tool_calls' : 'stop');
}

const encodedReasons = {
  length: 'length',
  'content-filter': 'content_filter',
  stop: undefined,
  'tool-calls': undefined,
};

const rawReasons: Readonly<Record<Exclude<FinishReason, 'other'>, string>> = {
  stop: 'stop eos eos_token end end_turn stop_sequence stop_token complete completed finished',
  length: `
    length max_tokens max_length model_length max_output_tokens token_limit context_length
    model_context_window_exceeded
  `,
  'tool-calls': 'tool_calls tool_call tool_use function_call',
  'content-filter': 'content_filter content_filtered safety recitation blocklist prohibited_content sensitive',
};

const meanings: ReadonlyMap<string, FinishReason> = new Map(
  (Object.keys(rawReasons) as (keyof typeof rawReasons)[]).flatMap((reason) =>
    [...wordSet(rawReasons[reason])].map((rawReason) => [rawReason, reason] as const),
  ),
);
