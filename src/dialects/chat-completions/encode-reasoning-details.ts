import type { AssistantPart } from '../../core/message.ts';

type ReasoningItem = Extract<AssistantPart, { type: 'reasoning' | 'redacted-reasoning' }>;

/** The format has no place for a provider's proof of its thoughts, so those that have one come with it in a list. */
export function encodeReasoningDetails(content: readonly AssistantPart[]): readonly object[] {
  return content.filter(isProven).map(encodeReasoningDetail);
}

/** The index tells the details of one message apart when they come in deltas. */
export function encodeReasoningDetail(thought: ReasoningItem, index: number) {
  return thought.type === 'reasoning'
    ? { type: 'reasoning.text', text: thought.text, signature: thought.signature, index }
    : { type: 'reasoning.encrypted', data: thought.data, index };
}

function isProven(part: AssistantPart): part is ReasoningItem {
  return part.type === 'redacted-reasoning' || (part.type === 'reasoning' && part.signature !== undefined);
}
