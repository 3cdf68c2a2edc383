import { isObject, listOf, type WireObject } from '../wire-value.ts';

/**
 * What must be known of one event to tell it again beside the whole response: its kind; for a piece of a text how long it
 * is, and with how many records of tokens; all of it, where nothing else tells what it was.
 */
export type EventCode = EventCodeKind | number | readonly [characters: number, records: number] | WireObject;

/** The events of a response in order: the number of each is its place. */
export type Score = readonly EventCode[];

const kinds = {
  'response.created': 'c',
  'response.queued': 'q',
  'response.in_progress': 'i',
  keepalive: 'k',
  'response.output_item.added': 'a',
  'response.content_part.added': 'p',
  'response.reasoning_summary_part.added': 's',
  'response.output_text.done': 't',
  'response.refusal.done': 't',
  'response.reasoning_text.done': 't',
  'response.reasoning_summary_text.done': 't',
  'response.function_call_arguments.done': 't',
  'response.custom_tool_call_input.done': 't',
  'response.content_part.done': 'e',
  'response.reasoning_summary_part.done': 'e',
  'response.output_item.done': 'd',
} as const;

/** `C` is a response that is created while it waits, `z` the terminal event, whichever it is. */
export type EventCodeKind = (typeof kinds)[keyof typeof kinds] | 'C' | 'z';

/** The kind of an event; whatever the table does not know ends the response. */
export function markOf(type: string): EventCodeKind {
  return isKnown(type) ? kinds[type] : 'z';
}

export function isKnown(type: string): type is keyof typeof kinds {
  return Object.hasOwn(kinds, type);
}

/** A piece of a text. */
export function pieceMark(characters: number, records: number): EventCode {
  return records === 0 ? characters : [characters, records];
}

/** The score of a response that was never told as events: every text comes in one piece. */
export function plainScore(response: WireObject): Score {
  const items = listOf(response.output).filter(isObject);
  return ['c', 'i', ...items.flatMap(itemScore), 'z'];
}

function itemScore(item: WireObject): Score {
  return ['a', ...contentScore(item), 'd'];
}

function contentScore(item: WireObject): Score {
  switch (item.type) {
    case 'message':
      return partsScore('p', item.content);
    case 'reasoning':
      return partsScore('s', item.summary);
    case 'function_call':
      return [...wholePiece(item.arguments, 0), 't'];
    case 'custom_tool_call':
      return [...wholePiece(item.input, 0), 't'];
    default:
      return [];
  }
}

function partsScore(added: 'p' | 's', parts: unknown): Score {
  return listOf(parts)
    .filter(isObject)
    .flatMap((part): Score => {
      const records = listOf(part.logprobs).length;
      return [added, ...wholePiece(part.text ?? part.refusal, records), 't', 'e'];
    });
}

function wholePiece(text: unknown, records: number): Score {
  return typeof text === 'string' && text !== '' ? [pieceMark(text.length, records)] : [];
}

/** What lies in the store as a score, if it is one. */
export function scoreIn(value: unknown): Score | undefined {
  return Array.isArray(value) ? (value as Score) : undefined;
}
