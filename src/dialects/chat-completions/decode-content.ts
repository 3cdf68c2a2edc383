import { isObject, listOf, type WireObject, wordOf } from '../wire-value.ts';

export interface DecodedContent {
  readonly text: string;
  readonly reasoning: string;
}

/** The text and reasoning of a delta or message, wherever its provider puts them. */
export function decodeContent(delta: WireObject): DecodedContent {
  const parts = listOf(delta.content).filter(isObject);
  const content = typeof delta.content === 'string' ? delta.content : parts.map(partText).join('');
  // A refusal is what the model says instead, and the contract has no other place for it.
  const refusal = wordOf(delta.refusal) ?? '';
  // One provider's word for reasoning or another's; both at once are the same text twice.
  const native = wordOf(delta.reasoning_content) ?? wordOf(delta.reasoning) ?? '';
  return { text: content + refusal, reasoning: native + parts.map(partReasoning).join('') };
}

function partText(part: WireObject): string {
  return wordOf(part.text) ?? '';
}

function partReasoning(part: WireObject): string {
  if (part.type !== 'thinking') return '';
  return wordOf(part.thinking) ?? listOf(part.thinking).filter(isObject).map(partText).join('');
}
