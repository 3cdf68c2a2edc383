import type { AssistantPart } from '../../core/message.ts';

type ReasoningItem = Extract<AssistantPart, { type: 'reasoning' | 'redacted-reasoning' }>;

/** The format has no field for signatures of reasoning, so signed reasoning is listed separately. */
export function encodeReasoningDetails(content: readonly AssistantPart[]): readonly object[] {
  return content.filter(isProven).map(encodeReasoningDetail);
}

/** The index identifies the details of one message when they come in deltas. */
export function encodeReasoningDetail(thought: ReasoningItem, index: number) {
  return thought.type === 'reasoning'
    ? { type: 'reasoning.text', text: thought.text, signature: thought.signature, index }
    : { type: 'reasoning.encrypted', data: thought.data, index };
}

function isProven(part: AssistantPart): part is ReasoningItem {
  return part.type === 'redacted-reasoning' || (part.type === 'reasoning' && part.signature !== undefined);
}
