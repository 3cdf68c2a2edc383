import { isObject, listOf, type WireObject } from '../../wire-value.ts';
import { type StreamedText, textOfItem, textOfPart } from './item-texts.ts';

/**
 * The information to replay one event, given the complete response. It is the kind of the event; for a delta its length
 * and its number of logprob records; or the whole event, if it cannot be derived.
 */
export type EventCode = EventCodeKind | number | readonly [characters: number, records: number] | WireObject;

/** The event log of a response: the codes of its events in order. The index is the event's number. */
export type EventLog = readonly EventCode[];

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

/** `C` is `response.created` with the status `queued`. `z` is the terminal event of any type. */
export type EventCodeKind = (typeof kinds)[keyof typeof kinds] | 'C' | 'z';

/** Returns the kind of an event. Every type outside the table is a terminal event. */
export function eventCodeOf(type: string): EventCodeKind {
  return isKnown(type) ? kinds[type] : 'z';
}

export function isKnown(type: string): type is keyof typeof kinds {
  return Object.hasOwn(kinds, type);
}

/** Returns the code of a delta. */
export function deltaCode(characters: number, records: number): EventCode {
  return records === 0 ? characters : [characters, records];
}

/** Returns the event log of a response that was not streamed. Every text is one delta. */
export function unstreamedScore(response: WireObject): EventLog {
  const items = listOf(response.output).filter(isObject);
  return ['c', 'i', ...items.flatMap(itemScore), 'z'];
}

function itemScore(item: WireObject): EventLog {
  return ['a', ...contentScore(item), 'd'];
}

function contentScore(item: WireObject): EventLog {
  switch (item.type) {
    case 'message':
      return partsScore('p', item.content);
    case 'reasoning':
      return partsScore('s', item.summary);
    default: {
      const input = textOfItem(item);
      return input ? [...wholePiece(input), 't'] : [];
    }
  }
}

function partsScore(added: 'p' | 's', parts: unknown): EventLog {
  return listOf(parts)
    .filter(isObject)
    .flatMap((part): EventLog => [added, ...wholePiece(textOfPart(part)), 't', 'e']);
}

function wholePiece({ text, logprobs }: StreamedText): EventLog {
  return text === '' ? [] : [deltaCode(text.length, logprobs?.length ?? 0)];
}

/** Returns a stored value as an event log, if it is a list. */
export function eventLogIn(value: unknown): EventLog | undefined {
  return Array.isArray(value) ? (value as EventLog) : undefined;
}
