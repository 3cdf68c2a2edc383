import { spliceMembers } from '../../json/json-splice.ts';
import { isObject, listOf, parsedJson, type WireObject, nonEmptyString } from '../../wire-value.ts';
import type { ResponseEvent } from '../answer/item-events.ts';
import { isBackground, type ResponsesEncoding, responseId } from '../answer/response-object.ts';
import { type EventCode, derivedCode } from '../answer/event-log.ts';

export interface PassedEvent {
  readonly type: string;
  readonly fields: WireObject;
  readonly data: string;
}

/** Undefined if it is not an event. Some providers send its type only in the SSE event name. */
export function passedEvent(data: string, name?: string): PassedEvent | undefined {
  const fields = parsedJson(data);
  if (!isObject(fields)) return undefined;
  const type = nonEmptyString(fields.type) ?? name;
  if (type === undefined || !/^[\w.-]{1,128}$/.test(type)) return undefined;
  return fields.type === type ? { type, fields, data } : createEvent(type, fields);
}

/** Creates an event that the provider did not send, or not in this form. */
export function createEvent(type: string, given: WireObject): PassedEvent {
  const fields = { ...given, type };
  return { type, fields, data: JSON.stringify(fields) };
}

/** Returns the event with these values. If it already has them, returns it unchanged. */
export function withValues(event: PassedEvent, values: Partial<ResponseEvent>): PassedEvent {
  const { fields } = event;
  const isSame = Object.keys(values).every(
    (name) => fields[name] === values[name] || JSON.stringify(fields[name]) === JSON.stringify(values[name]),
  );
  return isSame ? event : createEvent(values.type ?? event.type, { ...fields, ...values });
}

/** Only the number and the gateway's fields of the response change. */
export function passedFrame({ type, fields, data }: PassedEvent, number: number, encoding: ResponsesEncoding): string {
  const values = new Map<string, string | ((value: string) => string)>([
    ['sequence_number', String(number)],
    ['response', (value) => renamedResponse(value, encoding)],
    // A client warns its user if the headers name another model than requested.
    ['headers', '{}'],
  ]);
  const spliced = spliceMembers(data, values);
  const numbered = Object.hasOwn(fields, 'sequence_number')
    ? spliced
    : spliced.replace('{', `{"sequence_number":${number},`);
  return `event: ${type}\ndata: ${numbered.replaceAll(/[\r\n]+/g, ' ')}\n\n`;
}

/** Replaces the id, the model and the client's request fields in a provider's response by the gateway's values. */
export function renamedResponse(text: string, encoding: ResponsesEncoding): string {
  const { body, model } = encoding;
  const own: WireObject = {
    id: responseId(encoding),
    model,
    previous_response_id: body.previous_response_id ?? null,
    store: body.store ?? true,
    tools: listOf(body.tools),
    // The provider did not run it in the background, and began later.
    ...(isBackground(encoding) && { background: true, created_at: encoding.created }),
  };
  return spliceMembers(text, new Map(Object.entries(own).map(([name, value]) => [name, JSON.stringify(value)])));
}

/** Characters of events stored unchanged for one response. Events beyond are replayed as keep-alive events. */
const wholeCharactersMax = 64 * 1024;

const itemAdded = 'response.output_item.added';

/** Events that can be replayed from the response are codes. Others, and those after an unknown part, are stored. */
export class PassedScore {
  #left = wholeCharactersMax;
  #hasUnknownPart = false;

  encode(event: PassedEvent): EventCode {
    const code = derivedCode(event.type, event.fields);
    if (event.type === itemAdded) this.#hasUnknownPart = false;
    else if (code === undefined && isObject(event.fields.part)) this.#hasUnknownPart = true;
    const isDerived = code === 'd' || !this.#hasUnknownPart;
    return isDerived && code !== undefined ? code : this.#whole(event);
  }

  #whole({ type, fields, data }: PassedEvent): EventCode {
    this.#left -= data.length;
    // The replay counts the items.
    if (this.#left < 0) return type === itemAdded ? 'a' : 'k';
    const { sequence_number: _, ...rest } = fields;
    return rest;
  }
}
