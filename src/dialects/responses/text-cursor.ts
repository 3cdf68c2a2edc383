import { isObject, listOf, type WireObject, nonEmptyString } from '../wire-value.ts';

/** A text of an item that is sent in deltas: its event type, its field and its complete value. */
export interface StreamedText {
  /** The event type without `response.` and without `.delta` or `.done`. */
  readonly event: string;
  /** The field with the complete text in the done event. */
  readonly field: 'text' | 'refusal' | 'arguments' | 'input';
  readonly text: string;
  readonly logprobs: readonly unknown[] | undefined;
}

/** Returns a part of an item, by its list and index. */
export function partAt(item: WireObject, list: 'content' | 'summary', index: number): WireObject | undefined {
  return listOf(item[list]).filter(isObject)[index];
}

export function textOfPart(part: WireObject): StreamedText {
  const text = nonEmptyString(part.text) ?? '';
  switch (part.type) {
    case 'summary_text':
      return { event: 'reasoning_summary_text', field: 'text', text, logprobs: undefined };
    case 'reasoning_text':
      return { event: 'reasoning_text', field: 'text', text, logprobs: undefined };
    case 'refusal':
      return { event: 'refusal', field: 'refusal', text: nonEmptyString(part.refusal) ?? '', logprobs: undefined };
    default:
      return { event: 'output_text', field: 'text', text, logprobs: listOf(part.logprobs) };
  }
}

/** Returns the text of an item without parts, or undefined if the item is not sent in deltas. */
export function textOfItem(item: WireObject): StreamedText | undefined {
  if (item.type === 'function_call') {
    const text = nonEmptyString(item.arguments) ?? '';
    return { event: 'function_call_arguments', field: 'arguments', text, logprobs: undefined };
  }
  if (item.type === 'custom_tool_call') {
    return {
      event: 'custom_tool_call_input',
      field: 'input',
      text: nonEmptyString(item.input) ?? '',
      logprobs: undefined,
    };
  }
  return undefined;
}
