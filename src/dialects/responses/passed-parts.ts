import { isObject, listOf, type WireObject, nonEmptyString } from '../wire-value.ts';

/** The location of a text that is sent in deltas. */
export interface TextKind {
  readonly item: 'message' | 'reasoning' | 'function_call' | 'custom_tool_call';
  /** The list of the item that contains its part, and the type of that part. Undefined for the input of a call. */
  readonly list?: PartList;
  readonly part?: string;
  /** The field that contains the complete text. */
  readonly field: 'text' | 'refusal' | 'arguments' | 'input';
}

export type PartList = 'content' | 'summary';

/** The texts of the format, by the types of their events without `response.` and without the step. */
export const textKinds: Readonly<Record<string, TextKind>> = {
  output_text: { item: 'message', list: 'content', part: 'output_text', field: 'text' },
  refusal: { item: 'message', list: 'content', part: 'refusal', field: 'refusal' },
  reasoning_text: { item: 'reasoning', list: 'content', part: 'reasoning_text', field: 'text' },
  reasoning_summary_text: { item: 'reasoning', list: 'summary', part: 'summary_text', field: 'text' },
  function_call_arguments: { item: 'function_call', field: 'arguments' },
  custom_tool_call_input: { item: 'custom_tool_call', field: 'input' },
};

/** Returns the name of a text's events for the type of its part. */
export function textOf(partType: unknown): string | undefined {
  return Object.keys(textKinds).find((name) => textKinds[name]?.part === partType);
}

export function partsOf(item: WireObject | undefined, list: PartList): readonly WireObject[] {
  return listOf(item?.[list]).filter(isObject);
}

/** Returns the text of a part. */
export function partText(part: WireObject | undefined): string {
  return nonEmptyString(part?.text) ?? nonEmptyString(part?.refusal) ?? '';
}

/** Returns the part with this text and the fields that clients require. */
export function withText(part: WireObject, text: string): WireObject {
  if (part.type === 'refusal') return part.refusal === text ? part : { ...part, refusal: text };
  const isText = part.type === 'output_text';
  const hasAll = !isText || (Array.isArray(part.annotations) && Array.isArray(part.logprobs));
  if (part.text === text && hasAll) return part;
  return {
    ...part,
    ...(isText && { annotations: listOf(part.annotations), logprobs: listOf(part.logprobs) }),
    text,
  };
}
