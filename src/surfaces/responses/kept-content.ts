import { type Score, scoreIn } from '../../dialects/responses/score.ts';
import { isObject, listOf, objectOf, type WireObject, wordOf } from '../../dialects/wire-value.ts';

/** What is kept of one response: what it was asked, each item with an id, what it said, and in which events. */
export interface KeptContent {
  readonly input: readonly WireObject[];
  readonly response: WireObject;
  /** Nothing where it was not told as events. */
  readonly score?: Score | undefined;
}

export function encodeContent({ input, response, score }: KeptContent): string {
  return JSON.stringify({ input, response, score });
}

export function decodeContent(text: string): KeptContent {
  const content = objectOf(JSON.parse(text));
  return {
    input: listOf(content?.['input']).filter(isObject),
    response: objectOf(content?.['response']) ?? {},
    score: scoreIn(content?.['score']),
  };
}

/** The items a response said. */
export function outputOf({ response }: KeptContent): readonly WireObject[] {
  return listOf(response['output']).filter(isObject);
}

/** Items of the input get ids that tell which response they belong to, so that they can be listed and referred to. */
export function named(input: readonly unknown[], responseId: string): readonly WireObject[] {
  const stem = responseId.replace(/^resp_/, '');
  return input.filter(isObject).map((item, index) => {
    const type = wordOf(item['type']) ?? 'message';
    const id = wordOf(item['id']) ?? `${prefixes[type] ?? 'item'}_${stem}_i${index}`;
    return { ...item, type, id };
  });
}

/** The response that an id of an item tells; nothing for ids that others have made. */
export function responseOfItem(itemId: string): string | undefined {
  const [, stem] = /^[a-z]{2,4}_(.{8,200})_i?\d{1,6}$/.exec(itemId) ?? [];
  return stem === undefined ? undefined : `resp_${stem}`;
}

/** Whether anything can be kept or found by an id: clients write what they like there, and not every database takes all of it. */
export function isFindable(id: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(id);
}

/** What the client did not ask to carry is not shown to it. */
export function withoutSealed(item: WireObject): WireObject {
  if (item['type'] !== 'reasoning') return item;
  const { encrypted_content: _, ...rest } = item;
  return rest;
}

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  compaction: 'cmp',
};
