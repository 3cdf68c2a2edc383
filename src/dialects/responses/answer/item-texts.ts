import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

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

const itemTypes: ReadonlySet<unknown> = new Set(Object.values(textKinds).map(({ item }) => item));

/** Whether the order of this item's events is defined here. */
export function isOrdered(item: WireObject): boolean {
  return itemTypes.has(item.type);
}

/** The events of the parts of a list, and the field with the index of a part. */
export const partLists = {
  content: { event: 'content_part', index: 'content_index' },
  summary: { event: 'reasoning_summary_part', index: 'summary_index' },
} as const;

/** Returns the initial fields of an ordered item without content, whatever content it has. */
export function initialFields(item: WireObject): WireObject {
  switch (item.type) {
    case 'message':
      return { role: 'assistant', content: [] };
    case 'reasoning':
      return { summary: [], ...(Array.isArray(item.content) && { content: [] }) };
    case 'function_call':
      return { name: nonEmptyString(item.name) ?? '', arguments: '' };
    default:
      return { name: nonEmptyString(item.name) ?? '', input: '' };
  }
}

/** A text that is sent in deltas. */
export interface StreamedText {
  /** The type of its events without `response.` and without the step. */
  readonly event: string;
  /** The field with the complete text in the done event. */
  readonly field: TextKind['field'];
  readonly text: string;
  readonly logprobs: readonly unknown[] | undefined;
}

export function textOfPart(part: WireObject): StreamedText {
  return streamedText(textOf(part.type ?? 'output_text') ?? 'output_text', part);
}

/** Returns the text of an item without parts, or undefined if the item is not sent in deltas. */
export function textOfItem(item: WireObject): StreamedText | undefined {
  if (item.type === 'function_call') return streamedText('function_call_arguments', item);
  return item.type === 'custom_tool_call' ? streamedText('custom_tool_call_input', item) : undefined;
}

function streamedText(event: string, owner: WireObject): StreamedText {
  const field = textKinds[event]?.field ?? 'text';
  const logprobs = event === 'output_text' ? listOf(owner.logprobs) : undefined;
  return { event, field, text: nonEmptyString(owner[field]) ?? '', logprobs };
}

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
