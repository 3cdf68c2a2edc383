import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';

/** A kind of text that is sent in deltas. */
export interface TextKind {
  /** The type of its events without `response.` and without the step. */
  readonly event: string;
  readonly item: 'message' | 'reasoning' | 'function_call' | 'custom_tool_call';
  /** The list of the item that contains its part, and the type of that part. Undefined for the input of a call. */
  readonly list?: PartList;
  readonly part?: string;
  readonly field: 'text' | 'refusal' | 'arguments' | 'input';
}

export type PartList = 'content' | 'summary';

export const outputText: TextKind = {
  event: 'output_text',
  item: 'message',
  list: 'content',
  part: 'output_text',
  field: 'text',
};

export const summaryText: TextKind = {
  event: 'reasoning_summary_text',
  item: 'reasoning',
  list: 'summary',
  part: 'summary_text',
  field: 'text',
};

const kinds: readonly TextKind[] = [
  outputText,
  { event: 'refusal', item: 'message', list: 'content', part: 'refusal', field: 'refusal' },
  { event: 'reasoning_text', item: 'reasoning', list: 'content', part: 'reasoning_text', field: 'text' },
  summaryText,
  { event: 'function_call_arguments', item: 'function_call', field: 'arguments' },
  { event: 'custom_tool_call_input', item: 'custom_tool_call', field: 'input' },
];

/** The texts of the format, by their events. */
export const textKinds: ReadonlyMap<string, TextKind> = new Map(kinds.map((kind) => [kind.event, kind]));

/** The texts of parts, by the type of the part. */
export const partKinds: ReadonlyMap<unknown, TextKind> = new Map(
  kinds.flatMap((kind) => (kind.part === undefined ? [] : [[kind.part, kind]])),
);

/** The inputs of calls, by the type of the call. */
export const inputKinds: ReadonlyMap<unknown, TextKind> = new Map(
  kinds.flatMap((kind) => (kind.part === undefined ? [[kind.item, kind]] : [])),
);

const itemTypes: ReadonlySet<unknown> = new Set(kinds.map(({ item }) => item));

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

/** Returns the kind of text in a part of this item. Undefined if the type of the part is unknown. */
export function kindInItem(itemType: unknown, list: PartList, part: WireObject | undefined): TextKind | undefined {
  if (part && hasType(part)) return partKinds.get(part.type);
  return kinds.find((kind) => kind.item === itemType && kind.list === list);
}

/** Returns the part with a type, which some providers omit. */
export function withType(part: WireObject | undefined, kind: TextKind): WireObject {
  return part && hasType(part) ? part : { ...part, type: kind.part };
}

function hasType(part: WireObject): boolean {
  return nonEmptyString(part.type) !== undefined;
}

export function kindOfPart(part: WireObject): TextKind {
  return partKinds.get(part.type) ?? outputText;
}

/** Returns the complete text and its logprob records. The owner is the part of the text, or the call. */
export function wholeText(kind: TextKind, owner: WireObject) {
  return { text: nonEmptyString(owner[kind.field]) ?? '', logprobs: kind === outputText ? listOf(owner.logprobs) : [] };
}

export function partsOf(item: WireObject | undefined, list: PartList): readonly WireObject[] {
  return listOf(item?.[list]).filter(isObject);
}

export function partText(part: WireObject | undefined): string {
  return nonEmptyString(part?.text) ?? nonEmptyString(part?.refusal) ?? '';
}

/** Returns the part with this text and the fields that clients require. */
export function withText(part: WireObject, text: string): WireObject {
  if (part.type === 'refusal') return part.refusal === text ? part : { ...part, refusal: text };
  const isText = part.type === 'output_text';
  const hasAll = !isText || (Array.isArray(part.annotations) && Array.isArray(part.logprobs));
  if (part.text === text && hasAll) return part;
  return { ...part, text, ...(isText && { annotations: listOf(part.annotations), logprobs: listOf(part.logprobs) }) };
}
