import { isObject, listOf, type WireObject, wordOf } from '../wire-value.ts';

/** A text of an item that comes in pieces: what its events are called, where it stands, and what it is in the end. */
export interface ToldText {
  /** Without `response.` in front and `.delta` or `.done` behind. */
  readonly event: string;
  /** The name it has in the event that ends it. */
  readonly field: 'text' | 'refusal' | 'arguments' | 'input';
  readonly text: string;
  readonly logprobs: readonly unknown[] | undefined;
}

/** The parts of an item, in the list that they stand in. */
export function partAt(item: WireObject, list: 'content' | 'summary', index: number): WireObject | undefined {
  return listOf(item[list]).filter(isObject)[index];
}

/** The text of a part. */
export function textOfPart(part: WireObject): ToldText {
  const text = wordOf(part.text) ?? '';
  switch (part.type) {
    case 'summary_text':
      return { event: 'reasoning_summary_text', field: 'text', text, logprobs: undefined };
    case 'reasoning_text':
      return { event: 'reasoning_text', field: 'text', text, logprobs: undefined };
    case 'refusal':
      return { event: 'refusal', field: 'refusal', text: wordOf(part.refusal) ?? '', logprobs: undefined };
    default:
      return { event: 'output_text', field: 'text', text, logprobs: listOf(part.logprobs) };
  }
}

/** The text of an item that has no parts; nothing for those that say nothing in pieces. */
export function textOfItem(item: WireObject): ToldText | undefined {
  if (item.type === 'function_call') {
    const text = wordOf(item.arguments) ?? '';
    return { event: 'function_call_arguments', field: 'arguments', text, logprobs: undefined };
  }
  if (item.type === 'custom_tool_call') {
    return { event: 'custom_tool_call_input', field: 'input', text: wordOf(item.input) ?? '', logprobs: undefined };
  }
  return undefined;
}
