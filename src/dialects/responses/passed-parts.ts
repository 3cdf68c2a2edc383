import { isObject, listOf, type WireObject, wordOf } from '../wire-value.ts';

/** Where a text that comes in pieces belongs. */
export interface TextKind {
  readonly item: 'message' | 'reasoning' | 'function_call' | 'custom_tool_call';
  /** The list of its item that its part stands in, and the type of that part; nothing for what a call is called with. */
  readonly list?: PartList;
  readonly part?: string;
  /** The name it has where it is whole. */
  readonly field: 'text' | 'refusal' | 'arguments' | 'input';
}

export type PartList = 'content' | 'summary';

/** The texts of the format, by the names of their events without `response.` in front and the step behind. */
export const textKinds: Readonly<Record<string, TextKind>> = {
  output_text: { item: 'message', list: 'content', part: 'output_text', field: 'text' },
  refusal: { item: 'message', list: 'content', part: 'refusal', field: 'refusal' },
  reasoning_text: { item: 'reasoning', list: 'content', part: 'reasoning_text', field: 'text' },
  reasoning_summary_text: { item: 'reasoning', list: 'summary', part: 'summary_text', field: 'text' },
  function_call_arguments: { item: 'function_call', field: 'arguments' },
  custom_tool_call_input: { item: 'custom_tool_call', field: 'input' },
};

/** The name of a text's events, by the type of its part. */
export function textOf(partType: unknown): string | undefined {
  return Object.keys(textKinds).find((name) => textKinds[name]?.part === partType);
}

/** The parts of an item, in either list. */
export function partsOf(item: WireObject | undefined, list: PartList): readonly WireObject[] {
  return listOf(item?.[list]).filter(isObject);
}

/** What a part says. */
export function saidIn(part: WireObject | undefined): string {
  return wordOf(part?.text) ?? wordOf(part?.refusal) ?? '';
}

/** A part with the fields that clients demand of it, saying this. */
export function partSaying(part: WireObject, said: string): WireObject {
  if (part.type === 'refusal') return part.refusal === said ? part : { ...part, refusal: said };
  const isText = part.type === 'output_text';
  const hasAll = !isText || (Array.isArray(part.annotations) && Array.isArray(part.logprobs));
  if (part.text === said && hasAll) return part;
  return {
    ...part,
    ...(isText && { annotations: listOf(part.annotations), logprobs: listOf(part.logprobs) }),
    text: said,
  };
}
