import type { AssistantPart } from '../../../core/chat/message.ts';

type ReasoningItem = Extract<AssistantPart, { type: 'reasoning' | 'redacted-reasoning' }>;

/** The format has no field for signatures of reasoning, so signed reasoning is listed separately. */
export function encodeReasoningDetails(content: readonly AssistantPart[]): readonly object[] {
  return content.filter(isSigned).map(encodeReasoningDetail);
}

/** The index identifies the details of one message when they come in deltas. */
export function encodeReasoningDetail(part: ReasoningItem, index: number) {
  return part.type === 'reasoning'
    ? { type: 'reasoning.text', text: part.text, signature: part.signature, index }
    : { type: 'reasoning.encrypted', data: part.data, index };
}

function isSigned(part: AssistantPart): part is ReasoningItem {
  return part.type === 'redacted-reasoning' || (part.type === 'reasoning' && part.signature !== undefined);
}
