import { backgroundOpening, type EventLog, eventLogIn } from 'chat-formats/responses/answer/event-log.ts';
import { isObject, listOf, objectOf, type WireObject, nonEmptyString } from 'chat-formats/wire-value.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';

/** The stored content of a response: its input items, each with an id, the response, and its event log. */
export interface StoredContent {
  readonly input: readonly WireObject[];
  readonly response: WireObject;
  /** Undefined if it was not streamed. */
  readonly score?: EventLog | undefined;
  /** Of a response in the background: the response when it was created. */
  readonly opening?: WireObject | undefined;
  /** Set if clients may have streamed events that are lost. */
  readonly isCut?: boolean | undefined;
}

export function encodeContent({ input, response, score, opening, isCut }: StoredContent): string {
  return JSON.stringify({ input, response, score, opening, isCut });
}

export function decodeContent(text: string): StoredContent {
  const content = objectOf(ownJson(text));
  return {
    input: listOf(content?.['input']).filter(isObject),
    response: objectOf(content?.['response']) ?? {},
    score: eventLogIn(content?.['score']),
    opening: objectOf(content?.['opening']),
    isCut: content?.['isCut'] === true,
  };
}

/** The log for a reader that has the events up to a number. Lost events are left out, and the last ones follow its own. */
export function logAfter({ score, isCut }: StoredContent, startingAfter = -1): EventLog | undefined {
  const lost = startingAfter + 1 - backgroundOpening.length;
  if (isCut !== true || !score || lost <= 0) return score;
  const gap = Array.from({ length: Math.min(lost, lostEventsMax) }, () => 'k' as const);
  return [...backgroundOpening, ...gap, ...score.slice(backgroundOpening.length)];
}

/** More than clients stream of one response. */
const lostEventsMax = 100_000;

export function outputOf({ response }: Pick<StoredContent, 'response'>): readonly WireObject[] {
  return listOf(response['output']).filter(isObject);
}

/** Gives input items ids that contain the response id, so that they can be listed and referenced. */
export function named(input: readonly unknown[], responseId: string): readonly WireObject[] {
  const stem = responseId.replace(/^resp_/, '');
  return input.filter(isObject).map((item, index) => {
    const type = nonEmptyString(item['type']) ?? 'message';
    const id = nonEmptyString(item['id']) ?? `${prefixes[type] ?? 'item'}_${stem}_i${index}`;
    return { ...item, type, id };
  });
}

/** The response id in an item id; undefined for ids that the gateway did not create. */
export function responseOfItem(itemId: string): string | undefined {
  const [, stem] = /^[a-z]{2,4}_(.{8,200})_i?\d{1,6}$/.exec(itemId) ?? [];
  return stem === undefined ? undefined : `resp_${stem}`;
}

/** Whether an id is valid for storage. Clients send arbitrary ids, and not every database accepts all characters. */
export function isFindable(id: string): boolean {
  return /^[\x21-\x7e]{1,256}$/.test(id);
}

/** The value of `include` with which clients ask for encrypted reasoning. */
export const sealedField = 'reasoning.encrypted_content';

export function withoutSealed(item: WireObject): WireObject {
  if (item['type'] !== 'reasoning') return item;
  const { encrypted_content: _, ...rest } = item;
  return rest;
}

/** The response as its client received it, unless the client asks for encrypted reasoning. */
export function shownResponse({ response }: StoredContent, showsSealed: boolean): WireObject {
  return showsSealed ? response : { ...response, output: outputOf({ response }).map(withoutSealed) };
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

export function refersToStored(body: WireObject): boolean {
  return nonEmptyString(body.previous_response_id) !== undefined || listOf(body.input).some(isReference);
}

/** Clients may omit the type of a reference. */
export function isReference(item: unknown): boolean {
  if (!isObject(item)) return false;
  return item.type === 'item_reference' || ((item.type ?? null) === null && item.role === undefined && 'id' in item);
}
