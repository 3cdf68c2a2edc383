import { isObject, listOf, objectOf, type WireObject } from '../../wire-value.ts';
import {
  inputKinds,
  isOrdered,
  kindOfPart,
  partKinds,
  partLists,
  partsOf,
  type TextKind,
  textKinds,
  wholeText,
} from './item-texts.ts';
import type { ResponseEvent } from './item-events.ts';

/**
 * The information to replay one event, given the complete response. It is the kind of the event; for a delta its length
 * and its number of logprob records; or the whole event, if it cannot be derived.
 */
export type EventCode = EventCodeKind | number | readonly [characters: number, records: number] | WireObject;

/** The event log of a response: the codes of its events in order. The index is the event's number. */
export type EventLog = readonly EventCode[];

/** `C` is `response.created` with the status `queued`. `z` is the terminal event of any type. */
export type EventCodeKind = 'c' | 'C' | 'q' | 'i' | 'k' | 'a' | 'p' | 's' | 't' | 'e' | 'd' | 'z';

const kinds: ReadonlyMap<string, EventCodeKind> = new Map([
  ['response.created', 'c'],
  ['response.queued', 'q'],
  ['response.in_progress', 'i'],
  ['keepalive', 'k'],
  ['response.output_item.added', 'a'],
  [`response.${partLists.content.event}.added`, 'p'],
  [`response.${partLists.summary.event}.added`, 's'],
  ...[...textKinds.keys()].map((event): [string, EventCodeKind] => [`response.${event}.done`, 't']),
  [`response.${partLists.content.event}.done`, 'e'],
  [`response.${partLists.summary.event}.done`, 'e'],
  ['response.output_item.done', 'd'],
]);

const deltaTypes: ReadonlySet<string> = new Set([...textKinds.keys()].map((event) => `response.${event}.delta`));

/** The first events of a response in the background: they are the same in each attempt to generate it. */
export const backgroundOpening: EventLog = ['C', 'q', 'i'];

/** Returns the kind of an event. Every type outside the table is a terminal event. */
export function eventCodeOf(type: string): EventCodeKind {
  return kinds.get(type) ?? 'z';
}

/** Returns the code of a provider's event. Undefined if the response does not contain the fields of the event. */
export function derivedCode(type: string, fields: WireObject): EventCode | undefined {
  if (deltaTypes.has(type)) return deltaCode(String(fields.delta).length, listOf(fields.logprobs).length);
  const kind = kinds.get(type);
  switch (kind) {
    case 'c':
      return objectOf(fields.response)?.status === 'queued' ? 'C' : kind;
    case 'a':
    case 'd':
      return isOrdered(objectOf(fields.item) ?? {}) ? kind : undefined;
    case 'p':
    case 's':
    case 'e':
      return partKinds.has(objectOf(fields.part)?.type) ? kind : undefined;
    default:
      return kind;
  }
}

export function deltaCode(characters: number, records: number): EventCode {
  return records === 0 ? characters : [characters, records];
}

/** Returns the event log of a response that was not streamed. Every text is one delta. */
export function unstreamedScore(response: WireObject): EventLog {
  const items = listOf(response.output).filter(isObject);
  return ['c', 'i', ...items.flatMap((item): EventLog => ['a', ...contentScore(item), 'd']), 'z'];
}

function contentScore(item: WireObject): EventLog {
  switch (item.type) {
    case 'message':
      return partsScore('p', partsOf(item, 'content'));
    case 'reasoning':
      return partsScore('s', partsOf(item, 'summary'));
    default: {
      const kind = inputKinds.get(item.type);
      return kind ? [...wholeDelta(kind, item), 't'] : [];
    }
  }
}

function partsScore(added: 'p' | 's', parts: readonly WireObject[]): EventLog {
  return parts.flatMap((part): EventLog => [added, ...wholeDelta(kindOfPart(part), part), 't', 'e']);
}

function wholeDelta(kind: TextKind, owner: WireObject): EventLog {
  const { text, logprobs } = wholeText(kind, owner);
  return text === '' ? [] : [deltaCode(text.length, logprobs.length)];
}

export function eventLogIn(value: unknown): EventLog | undefined {
  return Array.isArray(value) ? (value as EventLog) : undefined;
}

export class EventFrames {
  #sequence = 0;
  readonly #score: EventCode[] | undefined;

  /** If a score is given, the code of each event is appended to it. Its index is the event's number. */
  constructor(score?: EventCode[]) {
    this.#score = score;
    this.#sequence = score?.length ?? 0;
  }

  frame({ type, ...fields }: ResponseEvent, code: EventCode = eventCodeOf(type)): string {
    return this.piece(type, JSON.stringify(fields).slice(1, -1), code);
  }

  /** Writes an event. Its fields are already JSON, without the braces around them. */
  piece(type: string, fields: string, code: EventCode): string {
    this.#score?.push(code);
    this.#sequence += 1;
    return eventFrame(type, this.#sequence - 1, fields);
  }

  /** Returns the number of an event that the caller writes. */
  next(code: () => EventCode): number {
    this.#score?.push(code());
    this.#sequence += 1;
    return this.#sequence - 1;
  }
}

export function eventFrame(type: string, number: number, fields: string): string {
  const rest = fields === '' ? '' : `,${fields}`;
  return `event: ${type}\ndata: {"type":"${type}","sequence_number":${number}${rest}}\n\n`;
}

export const doneFrame = 'data: [DONE]\n\n';

/** An SSE comment that keeps a connection open. */
export const comment = ': keep-alive\n\n';
