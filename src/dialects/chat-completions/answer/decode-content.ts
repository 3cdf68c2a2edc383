import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

export interface DecodedContent {
  readonly text: string;
  readonly reasoning: string;
}

/** The text and reasoning of a delta or message, from every field that providers use for them. */
export function decodeContent(delta: WireObject): DecodedContent {
  const parts = listOf(delta.content).filter(isObject);
  const content = typeof delta.content === 'string' ? delta.content : parts.map(partText).join('');
  // A refusal counts as text: the contract has no other field for it.
  const refusal = nonEmptyString(delta.refusal) ?? '';
  // Providers use either field for reasoning. If both are set, they hold the same text.
  const native = nonEmptyString(delta.reasoning_content) ?? nonEmptyString(delta.reasoning) ?? '';
  return { text: content + refusal, reasoning: native + parts.map(partReasoning).join('') };
}

function partText(part: WireObject): string {
  return nonEmptyString(part.text) ?? '';
}

function partReasoning(part: WireObject): string {
  if (part.type !== 'thinking') return '';
  return nonEmptyString(part.thinking) ?? listOf(part.thinking).filter(isObject).map(partText).join('');
}
